import Foundation
import FoundationNetworking
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestTraits

@Suite struct DownloadPriorityTests {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    /// A downloader with one connection, whose stub holds a first download while others line up.
    private struct Line {
        let bench: Bench
        let done = Inbox<Bool>()
        let blocker: DownloadTask

        init() throws {
            bench = try Bench()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = 1
            bench.downloader.sessionConfiguration = configuration
            bench.stub.hold()
            blocker = bench.downloader.downloadImage(with: Line.url("blocker"))
        }

        static func url(_ name: String) -> URL {
            URL(string: "http://stub.invalid/\(name)") ?? URL(filePath: "/")
        }

        @discardableResult
        func add(_ name: String, _ priority: Float? = nil) -> DownloadTask {
            bench.downloader.downloadImage(
                with: Line.url(name),
                options: [.callbackQueue(.untouch)] + (priority.map { [.downloadPriority($0)] } ?? [])
            ) { [done] in done.put(reason($0) == nil) }
        }

        /// Lets everything run; the names in the order of their start, without the blocker.
        func started(_ count: Int) async throws -> [String] {
            bench.stub.release()
            _ = try await done.first(count)
            return bench.stub.requests.compactMap(\.url?.lastPathComponent).filter { $0 != "blocker" }
        }
    }

    @Test("Waiting downloads start by priority, equal ones in the order they came", .behaviours("N-16"))
    func order() async throws {
        let line = try Line()
        let task = line.add("a", 0.2)
        #expect(task.sessionTask?.task.priority == 0.2)
        line.add("b")
        line.add("c", 0.9)
        line.add("d")
        line.add("e", 0.9)
        #expect(line.bench.stub.requests.count == 1)
        #expect(try await line.started(5) == ["c", "e", "b", "d", "a"])
    }

    @Test("The priority of a download that waits can be changed", .behaviours("N-16"))
    func changeWhileWaiting() async throws {
        let line = try Line()
        let names = ["a", "b", "c", "d"]
        let tasks = names.map { line.add($0) }
        tasks[2].sessionTask?.task.priority = URLSessionTask.highPriority
        tasks[0].sessionTask?.task.priority = URLSessionTask.lowPriority
        #expect(try await line.started(4) == ["c", "b", "d", "a"])
    }

    @Test("A priority set by whoever hears of the start counts", .behaviours("N-16"))
    func changeBeforeStart() async throws {
        let line = try Line()
        line.add("a")
        let modifier = Prioritiser(1)
        line.bench.downloader.downloadImage(
            with: Line.url("b"), options: [.requestModifier(modifier), .callbackQueue(.untouch)]
        ) { [done = line.done] in done.put(reason($0) == nil) }
        #expect(try await line.started(2) == ["b", "a"])
    }

    @Test("Who joins a waiting download leaves its place as it is", .behaviours("N-1"))
    func joining() async throws {
        let line = try Line()
        line.add("a", 0.3)
        line.add("b", 0.5)
        line.add("a", 1)
        #expect(try await line.started(3) == ["b", "a"])
    }

    @Test("A download that waits is cancelled without ever being sent", .behaviours("N-3"))
    func cancelWhileWaiting() async throws {
        let line = try Line()
        line.add("a")
        let failed = Inbox<Outcome>()
        let task = line.bench.downloader.downloadImage(with: Line.url("b")) { failed.put($0) }
        line.add("c")
        task.cancel()
        #expect(try await failed.first().failure?.isTaskCancelled == true)
        #expect(try await line.started(2) == ["a", "c"])
    }

    @Test("Ten thousand wait, and start in order", .behaviours("N-16"))
    func tenThousand() async throws {
        let line = try Line()
        var random = SeededGenerator(seed: 16)
        let wanted = (0..<10_000).map { number in
            (name: "\(number)", priority: Float(Int.random(in: 0...10, using: &random)) / 10)
        }
        for (name, priority) in wanted { line.add(name, priority) }
        #expect(line.bench.stub.requests.count == 1)
        let expected = (0...10).reversed().flatMap { step in
            wanted.filter { $0.priority == Float(step) / 10 }.map(\.name)
        }
        #expect(try await line.started(10_000) == expected)
    }

    @Test("httpMaximumConnectionsPerHost bounds what the server sees at a time", arguments: [1, 4, 6])
    func connections(_ limit: Int) async throws {
        let png = try TestImages.png
        let busy = Mutex((now: 0, most: 0))
        let gate = ServerGate()
        let server = try LoopbackServer { _ in
            busy.withLock { busy in
                busy.now += 1
                busy.most = max(busy.most, busy.now)
            }
            // Until so many are there together, none is answered; one more would be seen beside them.
            for _ in 0..<50_000 {
                if gate.isOpen { break }
                if busy.withLock({ $0.now >= limit }) { gate.release() } else { usleep(200) }
            }
            usleep(1_000)
            busy.withLock { $0.now -= 1 }
            return .ok(png)
        }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "connections")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = limit
        downloader.sessionConfiguration = configuration
        let done = Inbox<Bool>()
        for number in 0..<40 {
            downloader.downloadImage(with: server.url("/\(number)"), options: [.callbackQueue(.untouch)]) {
                done.put(reason($0) == nil)
            }
        }
        #expect(try await done.first(40).allSatisfy { $0 })
        #expect(busy.withLock { $0.most } == limit)
        #expect(server.acceptedConnections == limit)
    }
}

/// Sets the priority of the task it hears of.
private struct Prioritiser: ImageDownloadRequestModifier {
    let priority: Float

    init(_ priority: Float) { self.priority = priority }

    func modified(for request: URLRequest) -> URLRequest? { request }

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { $0?.sessionTask?.task.priority = priority }
    }
}
