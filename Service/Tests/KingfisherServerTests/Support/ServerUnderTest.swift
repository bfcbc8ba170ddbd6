import Foundation
import FoundationNetworking
import Kingfisher
import KingfisherIsolation
import KingfisherService
import KingfisherTestSupport
import Logging
import ServiceLifecycle
import Testing

@testable import KingfisherServer

/// Runs a server on free ports, with separate cache folders, while a closure runs.
struct ServerUnderTest: Sendable {
    let ports: ImageServer.Ports
    let urls: ServiceURLs
    private let group: ServiceGroup

    /// The settings of tests: origins on loopback, decoders in the program, formats that need no library.
    static func settings(in folder: URL) throws -> ServerSettings {
        let key = try #require(SigningKey([UInt8](repeating: 7, count: 32)))
        var settings = ServerSettings(urls: ServiceSettings(signing: .keys([key])))
        settings.listen = .tcp(host: "127.0.0.1", port: 0)
        settings.adminListen = .tcp(host: "127.0.0.1", port: 0)
        settings.allowedAddresses = [try #require(IPNetwork("127.0.0.0/8"))]
        settings.allowedPorts = nil
        settings.caches.folder = folder
        settings.isolation = .none
        settings.formats = [ImageFormat(name: "WEBP")]
        settings.purgeToken = token
        return settings
    }

    static let token = "a-token-of-tests"

    /// - Parameter folder: The folder of the caches; nil for a new one that is removed.
    static func run(
        in folder: URL? = nil, logger: Logger? = nil,
        _ change: (inout ServerSettings) throws -> Void = { _ in },
        _ body: (ServerUnderTest) async throws -> Void
    ) async throws {
        let own = unusedFolder()
        defer { try? FileManager.default.removeItem(at: own) }
        var settings = try settings(in: folder ?? own)
        try change(&settings)
        let (running, continuation) = AsyncStream<ImageServer.Ports>.makeStream()
        let server = try ImageServer(settings, logger: logger) { continuation.yield($0) }
        let group = ServiceGroup(services: [server], logger: .init(label: "test") { _ in SilentLog() })
        let task = Task {
            defer { continuation.finish() }
            try await group.run()
        }
        for await ports in running {
            let outcome: Result<Void, any Error>
            do {
                let test = ServerUnderTest(ports: ports, urls: try ServiceURLs(settings.urls), group: group)
                outcome = .success(try await body(test))
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

    var port: Int { ports.clients ?? 0 }

    func client() throws -> AttackClient { try AttackClient(port: port) }

    var isListening: Bool { (try? client()) != nil }

    /// The signed path of a source with steps and options, such as `fit:64x64`.
    func path(_ source: URL, _ segments: String = "fit:64x64", format: String? = nil) throws -> String {
        let suffix = format.map { "@\($0)" } ?? ""
        let prefix = segments.isEmpty ? "" : "/\(segments)"
        return try urls.sign(path: "\(prefix)/plain/\(source.absoluteString)\(suffix)")
    }

    struct Reply: Sendable {
        let status: Int
        let fields: [String: String]
        let body: Data

        var text: String { String(decoding: body, as: UTF8.self) }
        func value(_ name: String) -> String? { fields[name.lowercased()] }
    }

    /// The response to a request on a connection of a shared session.
    func request(
        _ path: String, _ method: String = "GET", fields: [String: String] = [:], body: Data? = nil,
        toAdmin: Bool = false
    ) async throws -> Reply {
        let port = toAdmin ? ports.admin ?? 0 : port
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
        (request.httpMethod, request.cachePolicy) = (method, .reloadIgnoringLocalCacheData)
        (request.httpBody, request.timeoutInterval) = (body, 60)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let head = try #require(response as? HTTPURLResponse)
        let received = head.allHeaderFields.map { ("\($0)".lowercased(), "\($1)") }
        return Reply(
            status: head.statusCode, fields: Dictionary(received) { $1 }, body: data)
    }

    /// Purges by a JSON object, with the token.
    func purge(_ json: String, token: String? = ServerUnderTest.token) async throws -> Reply {
        try await request(
            "/purge", "POST", fields: token.map { ["Authorization": "Bearer \($0)"] } ?? [:],
            body: Data(json.utf8), toAdmin: true)
    }

    /// Runs blocking socket code on a separate thread.
    func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }
}

/// A folder that does not exist yet.
func unusedFolder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "kingfisher-server-\(UUID().uuidString)")
}
