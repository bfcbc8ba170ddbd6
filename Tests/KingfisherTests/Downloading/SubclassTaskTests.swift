import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Loads with a task of its own, and completes before it returns that.
private final class EagerDownloader: ImageDownloader, @unchecked Sendable {
    override func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let done = Latch()
        let task = super.downloadImage(with: url, options: [.callbackQueue(.untouch)]) {
            completionHandler?($0)
            done.open()
        }
        _ = done.wait()
        return task
    }
}

/// Tasks of requests to a subclass of `ImageDownloader`.
@Suite struct SubclassTaskTests {
    @Test("A task is initialised before its request completes, also if the subclass completes early")
    func earlyCompletion() async throws {
        let rig = try RetryRig(failures: 1)
        let manager = KingfisherManager(
            downloader: EagerDownloader(name: "eager", transport: rig.bench.stub), cache: rig.bench.cache)
        let run = rig.start(nil, ScriptedStrategy(retries: 5), manager: manager)
        _ = try await run.only().get()
        #expect(run.events.values == [.updated(rig.first.url, initialized: true), .completed(nil)])
        #expect(run.task?.sessionTask?.originalURL == rig.first.url)
    }
}
