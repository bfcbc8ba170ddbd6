/// A file name that is safe inside the cache folder: one component, not hidden, not longer than a name may
/// be.
///
/// Only `FileNaming` makes them from keys, so no key can lead the engine out of its folder.
package struct EntryName: Hashable, Sendable {
    package let rawValue: String
    /// Chooses the name's lock, and represents the name in scans and in the filter of names.
    let digest: UInt64

    init(checked rawValue: String) {
        self.rawValue = rawValue
        digest = Checksum.of(rawValue)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.digest == other.digest && one.rawValue.hasSameBytes(as: other.rawValue)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(digest)
    }
}
