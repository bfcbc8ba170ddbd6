import Foundation
import KingfisherSharedCache
import KingfisherTestSupport
import Testing

/// TLS with certificates of a private authority, which openssl makes for each run. The Valkey of PyPI has no
/// TLS.
@Suite(.timeLimit(.minutes(1)), .enabled(if: ProcessInfo.processInfo.environment["KINGFISHER_ENGINE"] == nil))
struct TLSTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "kf-tls-\(UUID().uuidString)")

    private func openssl(_ arguments: String) async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        // Waiting for the exit would block a thread of the pool, and other tests with it.
        try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in ended.resume() }
            do { try process.run() } catch { ended.resume(throwing: error) }
        }
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    /// A server whose certificate has the given name.
    private func server(_ name: String) async throws -> RedisServer {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        for authority in ["ca", "other"] {
            try await openssl(
                "req -x509 \(key) -subj /CN=\(authority) -keyout \(authority).key -out \(authority).pem")
        }
        try await openssl("req \(key) -subj /CN=server -keyout server.key -out server.csr")
        try Data("subjectAltName=\(name)\n".utf8).write(to: folder.appending(path: "names"))
        try await openssl(
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names"
                + " -out server.pem")
        return try await RedisServer(
            [
                "--tls-cert-file", "server.pem", "--tls-key-file", "server.key", "--tls-ca-cert-file",
                "ca.pem", "--tls-auth-clients", "no",
            ], tls: true, folder: folder)
    }

    private func ping(_ server: RedisServer, anchors: String?, tls: Bool = true) async throws -> RESPValue {
        var configuration = try server.configuration()
        configuration.usesTLS = tls
        configuration.trustAnchors = anchors.map { folder.appending(path: $0).path }
        return try await NIORedisClient(configuration).send(RedisCommand("PING"))
    }

    @Test("A certificate of the private authority is accepted, others and plain text are not")
    func authority() async throws {
        let server = try await server("IP:127.0.0.1")
        #expect(try await ping(server, anchors: "ca.pem") == .text("PONG"))
        await #expect(throws: RedisError.self) { _ = try await ping(server, anchors: "other.pem") }
        await #expect(throws: RedisError.self) { _ = try await ping(server, anchors: nil) }
        await #expect(throws: RedisError.self) { _ = try await ping(server, anchors: nil, tls: false) }
        await #expect(throws: (any Error).self) { _ = try await ping(server, anchors: "missing.pem") }
    }

    @Test("A certificate with another name is not accepted")
    func name() async throws {
        let server = try await server("DNS:cache.example.com")
        await #expect(throws: RedisError.self) { _ = try await ping(server, anchors: "ca.pem") }
    }
}
