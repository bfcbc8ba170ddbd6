import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// `ImagePrefetcher.pause()` and `resume()`.
@Suite struct PrefetchPauseTests {
    private let bench: Bench
    private let urls = (0..<4).map { _ in Bench.freshURL() }

    init() throws {
        bench = try Bench()
    }

    @Test(
        "A paused prefetcher ends its running sources, starts no other, and completes once after it resumes")
    func underWay() async throws {
        bench.stub.hold()
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.maxConcurrentDownloads = 2
        prefetcher.start()
        #expect(await poll { bench.stub.requests.count == 2 })
        prefetcher.pause()
        prefetcher.pause()
        #expect(prefetcher.isPaused)
        bench.stub.release()
        #expect(await poll { reports.progress.count == 2 })
        prefetcher.maxConcurrentDownloads = 5
        try await bench.cache.settle()
        await passMainQueue()
        #expect(reports.ends.count == 0 && bench.stub.requests.count == 2)
        prefetcher.resume()
        #expect(!prefetcher.isPaused)
        #expect(try await reports.end().counts == [0, 0, 4])
        prefetcher.resume()
        await passMainQueue()
        #expect(reports.ends.count == 1 && reports.progress.values.map(\.total) == [1, 2, 3, 4])
    }

    @Test(
        "A prefetcher that is paused before the start requests nothing until it resumes", arguments: [0, 4])
    func beforeStart(count: Int) async throws {
        let (prefetcher, reports) = bench.prefetcher(Array(urls.prefix(count)))
        prefetcher.pause()
        prefetcher.start()
        try await bench.cache.settle()
        await passMainQueue()
        // Without sources, nothing waits.
        #expect(reports.ends.count == (count == 0 ? 1 : 0) && bench.stub.requests.isEmpty)
        prefetcher.resume()
        #expect(try await reports.end().counts == [0, 0, count])
    }

    @Test("A pause during the last sources does not delay the completion")
    func nothingLeft() async throws {
        bench.stub.hold()
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.start()
        #expect(await poll { bench.stub.requests.count == 4 })
        prefetcher.pause()
        bench.stub.release()
        #expect(try await reports.end().counts == [0, 0, 4])
    }

    @Test("A stop ends a paused prefetcher", .behaviours("P-4", "P-9"))
    func stop() async throws {
        bench.stub.hold()
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.maxConcurrentDownloads = 1
        prefetcher.start()
        #expect(await poll { bench.stub.requests.count == 1 })
        prefetcher.pause()
        prefetcher.stop()
        #expect(try await reports.end().counts == [0, 4, 0])
        prefetcher.resume()
        await passMainQueue()
        #expect(reports.ends.count == 1 && bench.stub.requests.count == 1)
    }

    @Test("Sources of a suspended downloader wait, and a stop ends them", arguments: [false, true])
    func suspendedDownloader(stops: Bool) async throws {
        bench.downloader.suspend()
        let (prefetcher, reports) = bench.prefetcher(urls)
        prefetcher.start()
        #expect(await poll { bench.downloader.transfers.withLock(\.count) == 4 })
        #expect(bench.stub.requests.isEmpty && reports.ends.count == 0)
        if stops { prefetcher.stop() } else { bench.downloader.resume() }
        #expect(try await reports.end().counts == (stops ? [0, 4, 0] : [0, 0, 4]))
    }

    @Test(
        "200 prefetchers that are paused, resumed and stopped at random complete once",
        .behaviours("P-1", "P-9"))
    func race() async throws {
        let all = (0..<200).map { _ in
            bench.prefetcher((0..<Int.random(in: 0...8)).map { _ in Bench.freshURL() })
        }
        for (number, (prefetcher, _)) in all.enumerated() {
            prefetcher.start()
            DispatchQueue.global().async {
                for _ in 0..<4 {
                    prefetcher.pause()
                    prefetcher.resume()
                }
                prefetcher.pause()
                DispatchQueue.global().async { prefetcher.resume() }
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(.random(in: 0...3_000))) {
                if number.isMultiple(of: 4) { prefetcher.stop() }
            }
        }
        for (prefetcher, reports) in all {
            let total = try await reports.ends.first().total
            #expect("\(total)" == "\(prefetcher)".split(separator: " ")[2])
        }
        await passMainQueue()
        #expect(all.allSatisfy { $0.1.ends.count == 1 })
    }
}
