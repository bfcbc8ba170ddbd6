import Foundation
import Kingfisher

/// Which entries `kingfisher cache clean` removes.
///
/// By the rule of the library's own cleaning: all that have expired; and when the others reach the limit,
/// those unused for longest until half of it is left. The library's own cleaning is not asked, as that
/// removes what the cache did not put into its folder, too.
struct CleaningPlan {
    let expired: [CachedFile]
    let exceeding: [CachedFile]

    /// - Parameter limit: In bytes; 0 for none.
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
