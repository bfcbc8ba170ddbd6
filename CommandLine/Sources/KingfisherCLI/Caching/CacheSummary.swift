import Foundation
import Kingfisher

/// What a cache holds, in figures.
struct CacheSummary: Equatable {
    private(set) var entries = 0
    private(set) var bytes = 0
    private(set) var expired = 0
    /// When the entries were last stored or read: the one unused for longest, and the one used last.
    private(set) var oldestUse: Date?
    private(set) var newestUse: Date?

    init(_ files: [CachedFile], at now: Date) {
        for file in files {
            entries += 1
            // Files full of holes may claim any size.
            bytes &+= file.bytes
            if file.expires <= now { expired += 1 }
            oldestUse = min(oldestUse ?? file.used, file.used)
            newestUse = max(newestUse ?? file.used, file.used)
        }
    }
}

/// What decisions about an entry rest on.
struct CachedFile: Hashable {
    let name: String
    let bytes: Int
    let expires: Date
    let used: Date
}

extension DiskStorage.Entry {
    var file: CachedFile {
        CachedFile(name: fileName, bytes: byteCount, expires: expiration, used: lastAccess)
    }
}
