import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import Kingfisher

@Suite struct DownloadPriorityTests {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    /// A downloader with one connection, which a first download occupies while others wait.
    private struct SingleConnection {
        let bench: Bench
        let done = Inbox<Bool>()
        let blocker: DownloadTask

        init() throws {
            bench = try Bench()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.httpMaximumConnectionsPerHost = 1
            bench.downloader.sessionConfiguration = configuration
            // The blocker receives nothing, and must not lose its slot.
            bench.downloader.minimumRate = nil
            bench.stub.hold()
            blocker = bench.downloader.downloadImage(with: SingleConnection.url("blocker"))
        }

        static func url(_ name: String) -> URL {
            URL(string: "http://stub.invalid/\(name)") ?? URL(filePath: "/")
        }

        @discardableResult
        func add(_ name: String, _ priority: Float? = nil) -> DownloadTask {
            bench.downloader.downloadImage(
                with: SingleConnection.url(name),
                options: [.callbackQueue(.untouch)] + (priority.map { [.downloadPriority($0)] } ?? [])
            ) { [done] in done.put(reason($0) == nil) }
        }

        /// Releases the connection and returns the names in order of start, without the blocker.
        func started(_ count: Int) async throws -> [String] {
            bench.stub.release()
            _ = try await done.first(count)
            return bench.stub.requests.compactMap(\.url?.lastPathComponent).filter { $0 != "blocker" }
        }
    }

    @Test("Waiting downloads start by priority, then in order of arrival", .behaviours("N-16"))
    func order() async throws {
        let connection = try SingleConnection()
        let task = connection.add("a", 0.2)
        #expect(task.sessionTask?.task.priority == 0.2)
        connection.add("b")
        connection.add("c", 0.9)
        connection.add("d")
        connection.add("e", 0.9)
        #expect(connection.bench.stub.requests.count == 1)
        #expect(try await connection.started(5) == ["c", "e", "b", "d", "a"])
    }

    @Test("The priority of a waiting download can be changed", .behaviours("N-16"))
    func changeWhileWaiting() async throws {
        let connection = try SingleConnection()
        let names = ["a", "b", "c", "d"]
        let tasks = names.map { connection.add($0) }
        tasks[2].sessionTask?.task.priority = URLSessionTask.highPriority
        tasks[0].sessionTask?.task.priority = URLSessionTask.lowPriority
        #expect(try await connection.started(4) == ["c", "b", "d", "a"])
    }

    @Test("A priority set when the task starts takes effect", .behaviours("N-16"))
    func changeBeforeStart() async throws {
        let connection = try SingleConnection()
        connection.add("a")
        let modifier = Prioritiser(1)
        connection.bench.downloader.downloadImage(
            with: SingleConnection.url("b"), options: [.requestModifier(modifier), .callbackQueue(.untouch)]
        ) { [done = connection.done] in done.put(reason($0) == nil) }
        #expect(try await connection.started(2) == ["b", "a"])
    }

    @Test("A caller that joins a waiting download does not change its position", .behaviours("N-1"))
    func joining() async throws {
        let connection = try SingleConnection()
        connection.add("a", 0.3)
        connection.add("b", 0.5)
        connection.add("a", 1)
        #expect(try await connection.started(3) == ["b", "a"])
    }

    @Test("A caller's priority that is lowered and restored moves its waiting download back and forth")
    func callerPriority() async throws {
        let connection = try SingleConnection()
        let tasks = ["a", "b", "c", "d"].map { connection.add($0) }
        tasks[0].setPriority(0.1)
        tasks[1].setPriority(0.2)
        tasks[2].setPriority(0.3)
        tasks[2].setPriority(nil)
        #expect(try await connection.started(4) == ["c", "d", "b", "a"])
    }

    @Test("A download has the highest priority of its callers, and follows them when one leaves")
    func callersPriority() async throws {
        let connection = try SingleConnection()
        let first = connection.add("a")
        let second = connection.add("a")
        let transfer = try #require(first.sessionTask)
        first.setPriority(0.1)
        #expect(transfer.priority == 0.5)
        second.setPriority(0.2)
        #expect(transfer.priority == 0.2)
        let third = connection.add("a")
        #expect(transfer.priority == 0.5)
        third.setPriority(0)
        second.cancel()
        #expect(transfer.priority == 0.1)
        transfer.task.priority = 0.9
        first.setPriority(0.3)
        #expect(transfer.priority == 0.9)
    }

    @Test("A priority that was set before the download exists applies when it starts")
    func priorityBeforeLink() async throws {
        let connection = try SingleConnection()
        connection.add("a")
        let (later, session) = (DownloadTask(), connection.add("b"))
        later.setPriority(0.9)
        later.forward(to: session)
        #expect(session.sessionTask?.priority == 0.9)
        #expect(try await connection.started(2) == ["b", "a"])
    }

    @Test("A waiting download is cancelled without being sent", .behaviours("N-3"))
    func cancelWhileWaiting() async throws {
        let connection = try SingleConnection()
        connection.add("a")
        let failed = Inbox<Outcome>()
        let task = connection.bench.downloader.downloadImage(with: SingleConnection.url("b")) {
            failed.put($0)
        }
        connection.add("c")
        task.cancel()
        #expect(try await failed.first().failure?.isTaskCancelled == true)
        #expect(try await connection.started(2) == ["a", "c"])
    }

    @Test("Ten thousand waiting downloads start in order", .behaviours("N-16"))
    func tenThousand() async throws {
        let connection = try SingleConnection()
        var random = SeededGenerator(seed: 16)
        let wanted = (0..<10_000).map { number in
            (name: "\(number)", priority: Float(Int.random(in: 0...10, using: &random)) / 10)
        }
        for (name, priority) in wanted { connection.add(name, priority) }
        #expect(connection.bench.stub.requests.count == 1)
        let expected = (0...10).reversed().flatMap { step in
            wanted.filter { $0.priority == Float(step) / 10 }.map(\.name)
        }
        #expect(try await connection.started(10_000) == expected)
    }

    @Test("httpMaximumConnectionsPerHost limits concurrent connections to the server", arguments: [1, 4, 6])
    func connections(_ limit: Int) async throws {
        let png = try TestImages.png
        let busy = Mutex((now: 0, peak: 0))
        let gate = ServerGate()
        let server = try LoopbackServer { _ in
            busy.withLock { busy in
                busy.now += 1
                busy.peak = max(busy.peak, busy.now)
            }
            // Holds every response until `limit` requests are present; one more would also be counted.
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
        downloader.minimumRate = nil
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
        #expect(busy.withLock { $0.peak } == limit)
        #expect(server.acceptedConnections == limit)
    }
}

private struct Prioritiser: ImageDownloadRequestModifier {
    let priority: Float

    init(_ priority: Float) { self.priority = priority }

    func modified(for request: URLRequest) -> URLRequest? { request }

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { $0?.sessionTask?.task.priority = priority }
    }
}
