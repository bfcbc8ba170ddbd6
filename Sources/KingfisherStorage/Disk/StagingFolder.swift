import Glibc
import Synchronization

/// Where new files are written before they get their name.
struct StagingFolder: Sendable {
    /// The sibling folder, open; nil means the cache folder itself, where staged names begin with a dot.
    private let sibling: OpenFolder?
    private let prefix: String

    /// Names inside the cache folder that begin so are ours, unfinished, and no entries.
    static let hiddenPrefix = ".kingfisher-"

    init(sibling: OpenFolder) {
        self.sibling = sibling
        prefix = ""
    }

    init(inside directory: String) {
        sibling = nil
        prefix = directory + "/" + Self.hiddenPrefix
    }

    /// What names from `makeName()` are relative to; valid as long as this value.
    var descriptor: CInt { sibling?.file.raw ?? AT_FDCWD }

    /// A name that nobody uses.
    func makeName() -> String {
        prefix + StagingName(count: Self.count.wrappingAdd(1, ordering: .relaxed).newValue).string
    }

    private static let count = Atomic<UInt64>(0)
}

/// An open folder that several threads use; closed when the last of them lets go of it.
final class OpenFolder: Sendable {
    let file: FileDescriptor

    init(_ file: consuming FileDescriptor) {
        self.file = file
    }
}
