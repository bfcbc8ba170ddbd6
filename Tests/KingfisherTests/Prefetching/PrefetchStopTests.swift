import Foundation
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// P-4 and P-5: stopped prefetchers, and very many prefetchers.
@Suite struct PrefetchStopTests {
    private let bench: Bench
    private let urls = (0..<4).map { _ in Bench.freshURL() }

    init() throws {
        bench = try Bench()
    }

    @Test(
        "A stop immediately after the start reports all four sources once as failed", .behaviours("P-4"),
        arguments: [1, 2, 5])
    func immediately(limit: Int) async throws {
        bench.stub.hold()
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.maxConcurrentDownloads = limit
        prefetcher.start()
        prefetcher.stop()
        let end = try await reports.end()
        #expect(end.counts == [0, 4, 0] && Set(end.failed) == Set(urls.map(\.cacheKey)))
        #expect(reports.progress.values.map(\.total) == [1, 2, 3, 4])
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test(
        "A stop during two downloads cancels these and preserves fetched sources", .behaviours("P-4")
    )
    func underWay() async throws {
        let (prefetcher, reports) = bench.prefetcher(
            urls,
            [
                .requestModifier(
                    AnyModifier { [stub = bench.stub, third = urls[2]] request in
                        if request.url == third { stub.hold() }
                        return request
                    })
            ])
        prefetcher.maxConcurrentDownloads = 1
        prefetcher.start()
        #expect(await poll { bench.stub.requests.count == 3 })
        prefetcher.stop()
        #expect(try await reports.end().counts == [0, 2, 2])
        #expect(await poll { bench.stub.liveTransfers == 0 })
        #expect(bench.stub.requests.count == 3)
    }

    @Test(
        "A stop before the start reports all sources as failed at the start, without requests",
        .behaviours("P-4"))
    func beforeStart() async throws {
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.stop()
        await passMainQueue()
        #expect(reports.ends.count == 0)
        prefetcher.start()
        #expect(try await reports.end().counts == [0, 4, 0])
        #expect(bench.stub.requests.isEmpty)
    }

    @Test(
        "A stopped or completed prefetcher does not start again, and a stop after the end has no effect",
        .behaviours("P-8")
    )
    func noRestart() async throws {
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.start()
        prefetcher.start()
        #expect(try await reports.end().counts == [0, 0, 4])
        prefetcher.stop()
        prefetcher.start()
        try await bench.cache.settle()
        await passMainQueue()
        #expect(reports.ends.count == 1 && reports.progress.count == 4 && bench.stub.requests.count == 4)
        #expect(prefetcher.description.hasSuffix("0 failed, 4 completed"))
    }

    @Test("A stop while a retry strategy decides cancels the source once", .behaviours("P-4"))
    func whileRetrying() async throws {
        let bench = try Bench { _ in StubAnswer(status: 503) }
        let handlers = Inbox<ScriptedStrategy.Handler>()
        let strategy = ScriptedStrategy { handlers.put($1) }
        let (prefetcher, reports) = bench.prefetcher([bench.url], [.retryStrategy(strategy)])
        prefetcher.start()
        let handler = try await handlers.first()
        prefetcher.stop()
        #expect(try await reports.end().counts == [0, 1, 0])
        handler(.retry(userInfo: nil))
        await passMainQueue()
        #expect(reports.ends.count == 1 && bench.stub.requests.count == 1)
    }

    @Test(
        "A stop in the progress handler gives one completion with correct counts", .behaviours("P-4"))
    func insideProgress() async throws {
        let box = Locked<ImagePrefetcher?>(nil)
        let reports = PrefetchReports()
        let prefetcher = ImagePrefetcher(
            urls: urls, options: bench.options,
            progressBlock: { skipped, failed, completed in
                reports.resourceProgress(skipped, failed, completed)
                box.withLock { $0 }?.stop()
            }, completionHandler: reports.resourceEnd)
        box.withLock { $0 = prefetcher }
        prefetcher.maxConcurrentDownloads = 1
        prefetcher.start()
        #expect(try await reports.end().total == 4)
        #expect(reports.progress.values.map(\.total) == [1, 2, 3, 4])
        box.withLock { $0 = nil }
    }

    @Test(
        "200 prefetchers stopped at random each complete once with correct counts and release everything",
        .behaviours("P-1", "P-4")
    )
    func randomStops() async throws {
        let all = (0..<200).map { _ in
            bench.prefetcher((0..<Int.random(in: 0...8)).map { _ in Bench.freshURL() })
        }
        let counts = all.map { "\($0.0)".split(separator: " ")[2] }
        for (prefetcher, _) in all {
            prefetcher.start()
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 0...3_000))) {
                prefetcher.stop()
            }
        }
        for ((_, reports), count) in zip(all, counts) {
            let total = try await reports.ends.first().total
            #expect("\(total)" == count)
        }
        await passMainQueue()
        #expect(all.allSatisfy { $0.1.ends.count == 1 })
        #expect(
            all.allSatisfy {
                $0.1.progress.values.map(\.total) == Array(0..<$0.1.progress.count).map { $0 + 1 }
            })
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test(
        "10,000 prefetchers of the same four URLs, in memory only, complete within 15 seconds",
        .behaviours("P-5"),
        arguments: [
            false, true,
        ])
    func veryMany(startTogether: Bool) async throws {
        let ends = Inbox<Int>()
        let start = ContinuousClock.now
        // Either all join the same four downloads, or most find the images of the first ones.
        if startTogether { bench.stub.hold() }
        for _ in 0..<10_000 {
            ImagePrefetcher(urls: urls, options: bench.options + [.cacheMemoryOnly]) {
                skipped, failed, completed in
                ends.put(failed.isEmpty ? skipped.count + completed.count : -1)
            }.start()
        }
        if startTogether { bench.stub.release() }
        let counts = try await ends.first(10_000, upTo: 60)
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(counts.allSatisfy { $0 == 4 })
        #expect(seconds < 15 * Double(ProcessStatus.slowness) || ProcessStatus.isSanitized)
        #expect(bench.stub.requests.count == 4)
        print(
            "P-5: 10,000 prefetchers, \(startTogether ? "joined" : "as they come"): \(seconds) s, "
                + "\(bench.stub.requests.count) requests")
    }
}
