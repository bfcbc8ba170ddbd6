import KingfisherImage

/// What caches held under an answer's keys when its server was asked, to tell later whether that was replaced
/// or removed meanwhile: an answer must not take a newer one's place.
struct CacheTrace: Sendable {
    struct Entry: Sendable {
        /// As the cache's traffic counts them.
        let version: UInt64
        let picture: KFCrossPlatformImage?
    }

    let entries: [Entry]

    /// Whether nobody has written or removed a file since.
    func hasSameFiles(as other: CacheTrace) -> Bool { entries.map(\.version) == other.entries.map(\.version) }

    /// Whether memory holds the same, too.
    func isSame(as other: CacheTrace) -> Bool {
        hasSameFiles(as: other) && zip(entries, other.entries).allSatisfy { $0.picture === $1.picture }
    }
}
