import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite struct ConcurrencyTests {
    @Test("1,000 calls over 50 URLs, nothing in memory: 50 requests, 1,000 completions, each once")
    func thousandCalls() async throws {
        let image = try TestImages.jpeg
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(image).held(by: gate) }
        defer { server.stop() }
        let load = try Load()
        let arrivals = Arrivals()
        let completions = callAThousandTimes(load, server, [.requestModifier(arrivals)])
        _ = try await arrivals.inbox.first(1_000)
        #expect(completions.count == 0)
        gate.release()
        #expect(try await completions.first(1_000).sorted() == Array(0..<1_000))
        try await load.cache.settle()
        #expect(completions.count == 1_000)
        #expect(server.requestCount() == 50)
        #expect(Set(server.requests.map(\.path)).count == 50)
        #expect(load.cache.memoryStorageCacheCost == 0)
        #expect(load.filesOnDisk.count == 50)
    }

    @Test("1,000 calls overtaken by their downloads: still 50 requests")
    func overtakenCalls() async throws {
        let image = try TestImages.jpeg
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(image).held(by: gate) }
        defer { server.stop() }
        let load = try Load()
        // Opened in the middle: later calls meet downloads that run, deliver, wait to be written, or are on
        // disk.
        let completions = callAThousandTimes(load, server) { number in
            if number == 300 { gate.release() }
        }
        #expect(try await completions.first(1_000).sorted() == Array(0..<1_000))
        #expect(server.requestCount() == 50)
    }

    @Test("1,000 calls by async functions: 50 requests, every one answered")
    func thousandTasks() async throws {
        let image = try TestImages.png
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(image).held(by: gate) }
        defer { server.stop() }
        let load = try Load()
        let arrivals = Arrivals()
        let sizes = try await withThrowingTaskGroup(of: CGSize.self) { group in
            for number in 0..<1_000 {
                group.addTask {
                    try await load.manager.retrieveImage(
                        with: server.url("/\(number % 50).png"),
                        options: load.options + [.requestModifier(arrivals)]
                    ).image.size
                }
            }
            _ = try await arrivals.inbox.first(1_000)
            gate.release()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes.count == 1_000)
        #expect(sizes.allSatisfy { $0 == TestImages.pngSize })
        #expect(server.requestCount() == 50)
    }
}

/// Calls from several threads, for 50 images in turn; hands back the numbers of the calls that succeed.
private func callAThousandTimes(
    _ load: Load, _ server: LoopbackServer, _ options: KingfisherOptionsInfo = [],
    before: @escaping @Sendable (_ number: Int) -> Void = { _ in }
) -> Inbox<Int> {
    let completions = Inbox<Int>()
    DispatchQueue.global().async {
        DispatchQueue.concurrentPerform(iterations: 1_000) { number in
            before(number)
            load.manager.retrieveImage(
                with: server.url("/\(number % 50).jpg"),
                options: load.options + [.callbackQueue(.untouch)] + options
            ) { result in
                if reason(result) == nil { completions.put(number) }
            }
        }
    }
    return completions
}

/// Changes no request, and hears of every call that has joined a download.
private struct Arrivals: ImageDownloadRequestModifier {
    let inbox = Inbox<Void>()

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { [inbox] _ in inbox.put() }
    }

    func modified(for request: URLRequest) -> URLRequest? { request }
}

/// A manager over real connections, for many requests.
private final class Load: Sendable {
    let cache: ImageCache
    let manager: KingfisherManager
    private let folder: TemporaryFolder

    /// Memory keeps nothing.
    let options: KingfisherOptionsInfo = [.memoryCacheExpiration(.expired)]

    init() throws {
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "load", cacheDirectoryURL: folder.url)
        manager = KingfisherManager(downloader: ImageDownloader(name: "load"), cache: cache)
    }

    var filesOnDisk: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: cache.diskStorage.directoryURL.path)) ?? []
    }
}
