import Glibc
import Synchronization

/// Where new files are written before they get their name.
struct StagingFolder: ~Copyable {
    /// The sibling folder; nil means the cache folder itself, where staged names begin with a dot.
    private let sibling: FileDescriptor?
    private let prefix: String

    /// Names inside the cache folder that begin so are ours, unfinished, and no entries.
    static let hiddenPrefix = ".kingfisher-"

    init(sibling: consuming FileDescriptor) {
        self.sibling = consume sibling
        prefix = ""
    }

    init(inside directory: String) {
        sibling = nil
        prefix = directory + "/" + Self.hiddenPrefix
    }

    /// What names from `makeName()` are relative to.
    var descriptor: CInt {
        switch sibling {
        case .some(let folder): folder.raw
        case .none: AT_FDCWD
        }
    }

    /// A name that nobody uses: the process, a count within it, and a random number against reused process
    /// ids.
    func makeName() -> String {
        let count = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        return "\(prefix)\(getpid())-\(count)-\(String(UInt64.random(in: .min ... .max), radix: 16))"
    }

    private static let count = Atomic<UInt64>(0)
}
