import CCurl
import Foundation
import FoundationNetworking
import Glibc
import Testing

@testable import KingfisherTestSupport
@testable import KingfisherTransport

/// What transfers tell ``CurlSockets`` about the sizes of their bodies.
@Suite struct CurlSocketsTests {
    enum Change: CaseIterable { case shortBodies, end }

    @Test(
        "Two transfers may keep as much as both may receive, until their heads announce less or one ends",
        arguments: Change.allCases)
    func expectedSizes(_ change: Change) throws {
        let server = try LoopbackServer { _ in .ok(bytes(4 << 20)) }
        defer { server.stop() }
        let descriptor = try LoopbackSocket.connect(to: UInt16(try #require(server.url().port)))
        defer { close(descriptor) }
        let head = Array("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        try #require(send(descriptor, head, head.count, 0) == head.count)
        let port = Int(kf_socket_port(descriptor))
        let mailbox = CurlMailbox()
        let sockets = mailbox.loop.sockets
        sockets.note([descriptor], port: port)
        var request = TransportRequest(URLRequest(url: try #require(URL(string: "https://127.0.0.1/"))))
        request.limits.maxBodyBytes = 1 << 20
        let transfers = [Recorder(), Recorder()].map { CurlTransfer(request, $0, mailbox) }
        for transfer in transfers { #expect(transfer.beginExchange(port: port) { nil }) }

        var meter = FloodMeter()
        /// Reads 900 KiB of which nothing is delivered.
        func isFlood() -> Bool {
            for _ in 0..<9 {
                var piece = [UInt8](repeating: 0, count: 100 << 10)
                _ = recv(descriptor, &piece, piece.count, Int32(MSG_WAITALL))
                sockets.endFlood(call: 1, delivered: 0, isPaused: false, &meter)
            }
            return sockets.isFlood(port: port)
        }
        #expect(!isFlood())
        switch change {
        case .end: transfers[0].finish(.failure(.cancelled))
        case .shortBodies:
            for transfer in transfers {
                for line in ["HTTP/1.1 200 OK\r\n", "Content-Length: 10\r\n", "\r\n"] {
                    #expect(Array(line.utf8).withUnsafeBytes { transfer.takeHeader($0) })
                }
            }
        }
        #expect(isFlood())
    }
}
