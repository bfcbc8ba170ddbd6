import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct ConcurrencyTests {
    @Test("1,000 calls for 50 URLs without memory hits make 50 requests and complete once each")
    func thousandCalls() async throws {
        let fixture = try LoadFixture(serving: TestImages.jpeg)
        defer { fixture.server.stop() }
        let joins = JoinObserver()
        let completions = callAThousandTimes(fixture, [.requestModifier(joins)])
        _ = try await joins.inbox.first(1_000)
        #expect(completions.count == 0)
        fixture.gate.release()
        #expect(try await completions.first(1_000).sorted() == Array(0..<1_000))
        try await fixture.cache.settle()
        #expect(completions.count == 1_000)
        #expect(fixture.server.requestCount() == 50)
        #expect(Set(fixture.server.requests.map(\.path)).count == 50)
        #expect(fixture.cache.memoryStorageCacheCost == 0)
        #expect(fixture.filesOnDisk.count == 50)
    }

    @Test("1,000 calls during their downloads' completion make 50 requests")
    func callsDuringCompletion() async throws {
        let fixture = try LoadFixture(serving: TestImages.jpeg)
        defer { fixture.server.stop() }
        // Opened in the middle: later calls meet downloads that run, deliver, wait to be written, or are on
        // disk.
        let completions = callAThousandTimes(fixture) { number in
            if number == 300 { fixture.gate.release() }
        }
        #expect(try await completions.first(1_000).sorted() == Array(0..<1_000))
        #expect(fixture.server.requestCount() == 50)
    }

    @Test("1,000 async calls make 50 requests, and all return")
    func thousandTasks() async throws {
        let fixture = try LoadFixture(serving: TestImages.png)
        defer { fixture.server.stop() }
        let joins = JoinObserver()
        let sizes = try await withThrowingTaskGroup(of: CGSize.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    try await fixture.manager.retrieveImage(
                        with: fixture.server.url("/\(number % 50).png"),
                        options: fixture.options + [.requestModifier(joins)]
                    ).image.size
                }
            }
            _ = try await joins.inbox.first(1_000)
            fixture.gate.release()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes.count == 1_000)
        #expect(sizes.allSatisfy { $0 == TestImages.pngSize })
        #expect(fixture.server.requestCount() == 50)
    }
}

/// Calls from several threads for 50 images; returns the numbers of the calls that succeed.
private func callAThousandTimes(
    _ fixture: LoadFixture, _ options: KingfisherOptionsInfo = [],
    before: @escaping @Sendable (_ number: Int) -> Void = { _ in }
) -> Inbox<Int> {
    let completions = Inbox<Int>()
    DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: 1_000) { number in
            before(number)
            fixture.manager.retrieveImage(
                with: fixture.server.url("/\(number % 50).jpg"),
                options: fixture.options + [.callbackQueue(.untouch)] + options
            ) { result in
                if reason(result) == nil { completions.put(number) }
            }
        }
    }
    return completions
}

/// Reports every call that has joined a download.
private struct JoinObserver: ImageDownloadRequestModifier {
    let inbox = Inbox<Void>()

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { [inbox] _ in inbox.put() }
    }

    func modified(for request: URLRequest) -> URLRequest? { request }
}

/// A server whose responses wait for a gate, and a manager.
private final class LoadFixture: Sendable {
    let gate = ServerGate()
    let server: LoopbackServer
    let cache: ImageCache
    let manager: KingfisherManager
    private let folder: TemporaryFolder

    /// Nothing stays in memory.
    let options: KingfisherOptionsInfo = [.memoryCacheExpiration(.expired)]

    init(serving image: Data) throws {
        server = try LoopbackServer { [gate] _ in .ok(image).held(by: gate) }
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "load", cacheDirectoryURL: folder.url)
        manager = KingfisherManager(downloader: ImageDownloader(name: "load"), cache: cache)
    }

    var filesOnDisk: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: cache.diskStorage.directoryURL.path)) ?? []
    }
}
