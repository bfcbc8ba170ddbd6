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

/// Downloads a second time, as after a token was renewed, and completes with that download.
private final class RepeatingDownloader: ImageDownloader, @unchecked Sendable {
    override func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        super.downloadImage(with: url, options: options) { [self] _ in
            repeated(with: url.appending(path: "again"), options: options, completionHandler)
        }
    }

    private func repeated(
        with url: URL, options: KingfisherParsedOptionsInfo,
        _ completion: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) {
        _ = super.downloadImage(with: url, options: options, completionHandler: completion)
    }
}

private final class RecordingObserver: DownloadObserver {
    let ended = Inbox<String?>()
    func didReceive(from session: SessionDataTask) {}
    func didEnd(_ session: SessionDataTask) { ended.put(session.originalURL?.lastPathComponent) }
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

    @Test("Each download of a subclass is observed, also if it calls its superclass twice")
    func observedTwice() async throws {
        let bench = try Bench()
        let manager = KingfisherManager(
            downloader: RepeatingDownloader(name: "repeating", transport: bench.stub), cache: bench.cache)
        let (observer, done) = (RecordingObserver(), Inbox<String?>())
        var plan = RequestPlan(.network(bench.url), manager.parsedOptions([.callbackQueue(.untouch)]))
        plan.downloadObserver = observer
        manager.retrieveImage(plan) { done.put(reason($0)) }
        #expect(try await done.first() == nil)
        #expect(observer.ended.values == [bench.url.lastPathComponent, "again"])
    }
}
