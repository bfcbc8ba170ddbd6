import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import TestHelpers
import Testing

/// Programs that exit while transfers run.
@Suite struct ExitTests {
    private static let order = ExitTestText("milliseconds and address for exits")

    /// Without protection, OpenSSL cleans up while the loop still uses it, and every third process crashes.
    @Test func exitDuringTLSDoesNotCrash() async throws {
        let server = try LoopbackServer(tls: ServerTLS("self-signed")) { _ in .ok(bytes(30_000)).then(.close)
        }
        defer { server.stop() }
        for milliseconds in stride(from: 10, to: 130, by: 10) {
            try await Self.order.give("\(milliseconds) \(server.url())") {
                await #expect(processExitsWith: .success) {
                    let order = try Self.order.received.split(separator: " ")
                    let url = try #require(URL(string: String(order[1])))
                    let transports = (0..<3).map { _ in curlTransport() }
                    for transport in transports { RepeatedRequest(url, on: transport).start() }
                    try await Task.sleep(for: .milliseconds(try #require(Int(order[0]))))
                    exit(EXIT_SUCCESS)
                }
            }
        }
        #expect(server.acceptedConnections > 0)
    }
}

/// A request that starts again when it has ended.
private final class RepeatedRequest: TransportHandler {
    private let url: URL
    private let transport: CurlTransport

    init(_ url: URL, on transport: CurlTransport) {
        self.url = url
        self.transport = transport
    }

    func start() {
        _ = transport.start(request(url) { $0.tls.trustedHosts = ["127.0.0.1"] }, handler: self)
    }

    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision { .proceed }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool { true }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        start()
    }
}
