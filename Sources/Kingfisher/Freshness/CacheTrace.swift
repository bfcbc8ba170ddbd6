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

extension SourceRetrieval {
    /// What the caches hold now of what the answer depends on.
    func trace(of place: CachedAnswer.Place) -> CacheTrace {
        var places = places
        if case .target = place { places.removeSubrange(1...) }
        return CacheTrace(
            entries: places.map { cache, key in
                CacheTrace.Entry(
                    version: cache.traffic.version(of: key),
                    picture: cache.memoryStorage.value(forKey: key, extendingExpiration: .none))
            })
    }

    /// The answer, with what the caches hold now.
    func traced(_ answer: CachedAnswer) -> CachedAnswer {
        var answer = answer
        answer.trace = trace(of: answer.place)
        return answer
    }

    /// Whether what the answer was made of is still what the caches hold; always where nobody
    /// had to be asked first.
    func isUnchanged(_ answer: CachedAnswer) -> Bool {
        answer.trace.map { $0.isSame(as: trace(of: answer.place)) } ?? true
    }

    /// The same of the files alone: others may have read them into memory.
    func hasUnchangedFiles(_ answer: CachedAnswer) -> Bool {
        answer.trace.map { $0.hasSameFiles(as: trace(of: answer.place)) } ?? true
    }
}
