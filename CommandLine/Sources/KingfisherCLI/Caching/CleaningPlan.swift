import Foundation
import Kingfisher

/// The entries that `kingfisher cache clean` removes.
///
/// The rule is the same as in the library: all expired entries; then, if the others reach the limit, the
/// least recently used ones until half of the limit is left. The library's own cleaning is not used because
/// it also removes foreign files.
struct CleaningPlan {
    let expired: [CachedFile]
    let exceeding: [CachedFile]

    /// - Parameter limit: in bytes; 0 for no limit.
    init(_ files: [CachedFile], limit: Int, at now: Date) {
        expired = files.filter { $0.expires <= now }
        let kept = files.filter { $0.expires > now }
        var total = kept.reduce(0) { $0 &+ $1.bytes }
        guard limit > 0, total >= limit else {
            exceeding = []
            return
        }
        var exceeding: [CachedFile] = []
        for file in kept.sorted(by: { ($0.used, $0.name) < ($1.used, $1.name) }) where total > limit / 2 {
            exceeding.append(file)
            total &-= file.bytes
        }
        self.exceeding = exceeding
    }

    var names: Set<String> { Set((expired + exceeding).map(\.name)) }
}
