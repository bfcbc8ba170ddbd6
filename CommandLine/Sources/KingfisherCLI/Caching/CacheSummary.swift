import Foundation
import Kingfisher

struct CacheSummary: Equatable {
    private(set) var entries = 0
    private(set) var bytes = 0
    private(set) var expired = 0
    /// The first and the last time at which an entry was stored or read.
    private(set) var oldestUse: Date?
    private(set) var newestUse: Date?

    init(_ files: [CachedFile], at now: Date) {
        for file in files {
            entries += 1
            // Sparse files may claim any size, so the sum may overflow.
            bytes &+= file.bytes
            if file.expires <= now { expired += 1 }
            oldestUse = min(oldestUse ?? file.used, file.used)
            newestUse = max(newestUse ?? file.used, file.used)
        }
    }
}

/// The properties of an entry that `CleaningPlan` and `CacheSummary` need.
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
