import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@Suite struct ConcurrencyTests {
    @Test("1,000 calls over 50 URLs, nothing in memory: 50 requests, 1,000 completions, each once")
    func thousandCalls() async throws {
        let picture = try Pictures.jpeg
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(picture).held(by: gate) }
        defer { server.stop() }
        let load = try Load(server)
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
        let picture = try Pictures.jpeg
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(picture).held(by: gate) }
        defer { server.stop() }
        let load = try Load(server)
        // Opened in the middle: later calls meet downloads that run, deliver, wait to be written, or are on disk.
        let completions = callAThousandTimes(load, server) { number in
            if number == 300 { gate.release() }
        }
        #expect(try await completions.first(1_000).sorted() == Array(0..<1_000))
        #expect(server.requestCount() == 50)
    }

    @Test("1,000 calls by async functions: 50 requests, every one answered")
    func thousandTasks() async throws {
        let picture = try Pictures.png
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(picture).held(by: gate) }
        defer { server.stop() }
        let load = try Load(server)
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
        #expect(sizes.allSatisfy { $0 == Pictures.pngSize })
        #expect(server.requestCount() == 50)
    }

    @Test("1,000 random cancels leave no connection, descriptor or thread behind")
    func thousandCancels() async {
        // A process of its own: what other tests hold open must not count.
        await #expect(processExitsWith: .success) {
            let picture = try Pictures.jpeg
            let server = try LoopbackServer { _ in
                .ok(picture).dripping(2_048, every: .milliseconds(1))
            }
            // What starts with the first use (pools, timers, the disk's lanes) is no leak.
            let rehearsal = try Load(server)
            try await rehearsal.run(count: 200, cancelling: true)
            rehearsal.end()
            _ = await server.wait { $0.openConnections == 0 }
            let before = Leftovers()

            let load = try Load(server)
            try await load.run(count: 1_000, cancelling: true)
            load.end()
            let closed = await server.wait { $0.openConnections == 0 }
            #expect(closed, "\(server.openConnections) connections")
            let settled = await poll { !Leftovers().exceeds(before) }
            let after = Leftovers()
            #expect(settled, "\(before) before, \(after) after")
        }
    }
}

/// Calls from several threads, for 50 pictures in turn; hands back the numbers of the calls that succeed.
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

/// What a process holds that many requests could leave behind.
private struct Leftovers {
    /// Where the open descriptors lead, numbers left out: sockets alike count as the same.
    let descriptors: [String: Int]
    let loopThreads = ProcessFacts.threads(named: "kf-transport")

    init() {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let targets = names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        // libdispatch keeps a timer for each clock once it was used.
        descriptors = Dictionary(grouping: targets.filter { !$0.contains("timerfd") }) {
            $0.filter { !$0.isNumber }
        }.mapValues(\.count)
    }

    func exceeds(_ other: Leftovers) -> Bool {
        loopThreads > other.loopThreads || descriptors.contains { $0.value > other.descriptors[$0.key] ?? 0 }
    }
}

/// A manager over real connections, for many requests.
private final class Load: Sendable {
    let cache: ImageCache
    let manager: KingfisherManager
    private let folder: TemporaryFolder
    private let server: LoopbackServer

    /// Memory keeps nothing.
    let options: KingfisherOptionsInfo = [.memoryCacheExpiration(.expired)]

    init(_ server: LoopbackServer) throws {
        self.server = server
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "load", cacheDirectoryURL: folder.url)
        manager = KingfisherManager(downloader: ImageDownloader(name: "load"), cache: cache)
    }

    var filesOnDisk: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: cache.diskStorage.directoryURL.path)) ?? []
    }

    /// Makes `count` requests over 50 URLs and waits for all completions; each comes once.
    func run(count: Int, cancelling: Bool) async throws {
        let outcomes = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for number in 0..<count {
            let task = manager.retrieveImage(
                with: server.url("/\(number % 50).jpg?\(number / 200)"), options: options
            ) { outcomes.put($0) }
            guard cancelling, let task else { continue }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(.random(in: 0...40))) {
                task.cancel()
            }
        }
        for outcome in try await outcomes.first(count, upTo: 60) {
            if let error = outcome.failure { #expect(error.isTaskCancelled, "\(error)") }
        }
        await passMainQueue()
        #expect(outcomes.count == count)
    }

    /// Lets the connections go that are kept for later.
    func end() {
        manager.downloader.sessionConfiguration = .ephemeral
    }
}
