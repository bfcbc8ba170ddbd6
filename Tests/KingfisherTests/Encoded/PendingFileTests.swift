import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Results of `retrieveData` while a newer image waits to be written to disk.
@Suite struct PendingFileTests {
    private let options: KingfisherOptionsInfo = [
        .processor(CountingProcessor("p")), .callbackQueue(.untouch),
    ]

    @Test(
        "While a new image waits to be written, memory does not serve the old file",
        arguments: [[], [.loadDiskFileSynchronously], [.fromMemoryCacheOrRefresh]] as [KingfisherOptionsInfo])
    func newerImagePending(_ extra: KingfisherOptionsInfo) async throws {
        let bench = try Bench()
        let old: RetrieveDataResult = try await outcome {
            bench.manager.retrieveData(
                with: bench.url, options: options + [.cacheMemoryOnly], completionHandler: $0)
        }.get()
        let (key, valve) = (bench.url.cacheKey.computedKey(with: "p"), Valve())
        bench.cache.diskQueue.run(key: key) { valve.pass() }
        bench.cache.store(
            try Image.blank(), forKey: bench.url.cacheKey, options: bench.manager.parsedOptions(options),
            completionHandler: nil)
        let inbox = Inbox<Result<RetrieveDataResult, KingfisherError>>()
        bench.manager.retrieveData(
            with: bench.url, options: options + extra + [.callbackQueue(.untouch)]
        ) { inbox.put($0) }
        valve.open()
        #expect(try await inbox.first().get().data != old.data)
        #expect(bench.stub.requests.count == 1)
    }
}
