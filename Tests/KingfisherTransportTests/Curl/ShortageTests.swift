import Foundation
import KingfisherTestSupport
import KingfisherTransport
import TestHelpers
import Testing

/// Shortages of descriptors and memory, in separate processes.
@Suite struct ShortageTests {
    private static let address = ExitTestText("address for transfers")

    /// Occupies all descriptors. Timers run before, because Dispatch opens descriptors for its first ones and
    /// ends the process if it cannot.
    private static func useUpDescriptors() async throws {
        try await Task.sleep(for: .milliseconds(10))
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { continuation.resume() }
        }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = rlim_t(ProcessStatus.openDescriptors + 4)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        while dup(1) >= 0 {}
    }

    @Test("Without descriptors, the error contains the cause and a remedy")
    func descriptors() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .ok(bytes(10)) }
            let url = server.url()
            let name = try #require(URL(string: "http://kingfisher.invalid/"))
            let transport = curlTransport()
            // The loop opens its descriptors before the shortage.
            let first = Recorder()
            _ = transport.start(request(url), handler: first)
            _ = try await first.result().get()
            try await Self.useUpDescriptors()
            let other = try #require(URL(string: "http://127.0.0.2:\(server.port)/"))
            for url in [other, name] {
                let handler = Recorder()
                _ = transport.start(request(url), handler: handler)
                let message = try await handler.error()?.message ?? ""
                #expect(message.contains("no file descriptor left"), "\(message)")
                #expect(message.contains("ulimit -n"), "\(message)")
            }
            exit(EXIT_SUCCESS)
        }
    }

    enum Body: String, CaseIterable, Codable {
        case plain, chunks, gzip, gzipInGzip

        var response: ServerResponse {
            let gzip = [("Content-Encoding", "gzip")]
            let chunk = Data(repeatElement(Array("1\r\nx\r\n".utf8), count: 300_000).joined())
            return switch self {
            case .plain: .ok(bytes(15 << 20))
            case .chunks:
                ServerResponse([
                    .send(ServerResponse.head(200, headers: [("Transfer-Encoding", "chunked")])),
                    .send(chunk), .hang,
                ])
            case .gzip: .ok(Gzip.zeros(512 << 20), headers: gzip)
            case .gzipInGzip:
                .ok(Gzip.packed(Gzip.zeros(512 << 20)), headers: [("Content-Encoding", "gzip, gzip")])
            }
        }
    }

    @Test(
        "A paused transfer holds less than a megabyte, regardless of its body's decoded size",
        .serialized, arguments: Body.allCases
    )
    func pausedTransfers(_ body: Body) async throws {
        let response = body.response
        let server = try LoopbackServer { $0.path == "/quick" ? .ok(bytes(100_000)) : response }
        defer { server.stop() }
        try await Self.address.give(server.url().absoluteString) {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let url = try #require(URL(string: try Self.address.received))
                let transport = curlTransport { $0.maxConnectionsPerHost = 100 }
                let first = Recorder()
                _ = transport.start(request(url.appending(path: "quick")), handler: first)
                _ = try await first.result().get()
                let before = ProcessStatus.residentBytes
                let handlers = (0..<40).map { _ in Recorder(keepsBody: false, onBody: { _, _ in false }) }
                for handler in handlers {
                    _ = transport.start(
                        request(url) { request in
                            request.limits.maxBodyBytes = 1 << 30
                            request.limits.idle = .seconds(3)
                        }, handler: handler)
                }
                #expect(await poll { handlers.allSatisfy { $0.now.head != nil } })
                // In the meantime, other transfers complete, and the pause does not count as idle time.
                for _ in 0..<35 {
                    let quick = Recorder()
                    _ = transport.start(request(url.appending(path: "quick")), handler: quick)
                    _ = try await quick.result().get()
                    try await Task.sleep(for: .milliseconds(100))
                }
                #expect(handlers.allSatisfy { !$0.isFinished })
                let each = (ProcessStatus.residentBytes - before) / handlers.count
                print("paused transfer: \(each >> 10) KiB")
                #expect(each < 1 << 20)
                exit(EXIT_SUCCESS)
            }
            if ProcessInfo.processInfo.environment["KF_PRINT"] != nil {
                print(body, String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
            }
        }
    }
}
