import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// The reports of a prefetcher, as cache keys.
struct PrefetchReports: Sendable {
    struct Lists: Sendable, Equatable {
        let skipped: [String]
        let failed: [String]
        let completed: [String]
        let onMain: Bool

        init(_ skipped: [Source], _ failed: [Source], _ completed: [Source]) {
            self.init(skipped.map(\.cacheKey), failed.map(\.cacheKey), completed.map(\.cacheKey))
        }

        init(_ skipped: [any Resource], _ failed: [any Resource], _ completed: [any Resource]) {
            self.init(skipped.map(\.cacheKey), failed.map(\.cacheKey), completed.map(\.cacheKey))
        }

        private init(_ skipped: [String], _ failed: [String], _ completed: [String]) {
            self.skipped = skipped
            self.failed = failed
            self.completed = completed
            onMain = MainQueue.isCurrent
        }

        var counts: [Int] { [skipped.count, failed.count, completed.count] }
        var total: Int { counts.reduce(0, +) }
    }

    let progress = Inbox<Lists>()
    let ends = Inbox<Lists>()

    /// The lists of the completion, after checking that there is only one.
    func end() async throws -> Lists { try await ends.only() }

    var sourceProgress: PrefetcherSourceProgressBlock { { progress.put(Lists($0, $1, $2)) } }
    var sourceEnd: PrefetcherSourceCompletionHandler { { ends.put(Lists($0, $1, $2)) } }
    var resourceProgress: PrefetcherProgressBlock { { progress.put(Lists($0, $1, $2)) } }
    var resourceEnd: PrefetcherCompletionHandler { { ends.put(Lists($0, $1, $2)) } }
}

extension Bench {
    var options: KingfisherOptionsInfo { [.targetCache(cache), .downloader(downloader)] }

    func prefetcher(_ urls: [URL], _ more: KingfisherOptionsInfo = []) -> (ImagePrefetcher, PrefetchReports) {
        prefetcher(urls.map { .network($0) }, more)
    }

    func prefetcher(_ sources: [Source], _ more: KingfisherOptionsInfo = []) -> (
        ImagePrefetcher, PrefetchReports
    ) {
        let reports = PrefetchReports()
        let prefetcher = ImagePrefetcher(
            sources: sources, options: options + more, progressBlock: reports.sourceProgress,
            completionHandler: reports.sourceEnd)
        return (prefetcher, reports)
    }

    func prefetch(_ urls: [URL], _ more: KingfisherOptionsInfo = []) async throws -> PrefetchReports.Lists {
        let (prefetcher, reports) = prefetcher(urls, more)
        prefetcher.start()
        return try await reports.end()
    }
}
