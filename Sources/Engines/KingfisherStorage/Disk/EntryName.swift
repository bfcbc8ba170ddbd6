/// A file name that is safe inside the cache folder: a single component, not hidden, and not too long.
///
/// Only `FileNaming` creates names from keys, so a key cannot lead outside the folder.
package struct EntryName: Hashable, Sendable {
    package let rawValue: String
    /// Selects the name's lock, and represents the name in scans and in the name filter.
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
