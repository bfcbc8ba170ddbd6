import Foundation
import Hummingbird
import KingfisherTestSupport
import ServiceLifecycle

@testable import ThumbnailServer

/// Runs a server on a free port, with a separate cache folder, while a closure runs.
struct ServerUnderTest: Sendable {
    let port: Int
    private let group: ServiceGroup

    static func run(
        anyAddress: Bool = true, metrics: Bool = false, shared: String? = nil, writeSeconds: Int64 = 20,
        _ body: (ServerUnderTest) async throws -> Void
    ) async throws {
        var options = ServerOptions()
        options.port = 0
        options.anyAddress = anyAddress
        (options.metrics, options.shared, options.writeSeconds) = (metrics, shared, writeSeconds)
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        options.folder = folder
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ports, continuation) = AsyncStream<Int>.makeStream()
        let server = try ThumbnailServer.make(options) { continuation.yield($0) }
        let group = ServiceGroup(services: [server], logger: server.logger)
        let task = Task {
            defer { continuation.finish() }
            try await group.run()
        }
        for await port in ports {
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await body(ServerUnderTest(port: port, group: group)))
            } catch {
                outcome = .failure(error)
            }
            await group.triggerGracefulShutdown()
            _ = await task.result
            return try outcome.get()
        }
        try await task.value
    }

    /// Starts a graceful shutdown, as SIGTERM does; returns before the server has stopped.
    func shutDown() async { await group.triggerGracefulShutdown() }

    /// The request target of a thumbnail.
    static func target(_ source: URL, side: Int = 16) -> String {
        let allowed = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "&?"))
        let text = source.absoluteString.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return "/thumbnail?url=\(text)&width=\(side)&height=\(side)"
    }

    func client() throws -> AttackClient { try AttackClient(port: port) }

    var isListening: Bool { (try? client()) != nil }

    /// The response to a request on a new connection; nil if there is none within ten seconds.
    func get(_ target: String, headers: [(String, String)] = []) async throws -> AttackClient.Reply? {
        try await onThread {
            let client = try client()
            client.send(target, headers: headers)
            return client.reply(within: .seconds(10))
        }
    }

    /// Runs blocking socket code on a separate thread.
    func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }
}
