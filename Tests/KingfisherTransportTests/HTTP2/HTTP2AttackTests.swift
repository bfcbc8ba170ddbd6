import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// Servers that abuse HTTP/2 exceed no limit of time or memory, and delay no other server.
@Suite(.serialized) struct HTTP2AttackTests {
    /// What a server sends in response to its first request.
    enum Attack: String, CaseIterable {
        case hpackBomb, continuations, emptyContinuations, manyFields, settings, pings
        case interimResponses, resets, silence

        func run(_ connection: HTTP2Connection, _ stream: UInt32) {
            switch self {
            case .hpackBomb: Self.sendBomb(connection, stream)
            case .continuations:
                connection.send(.headers(stream, .status(200), []))
                let block = HPACKBlock((0..<300).map { ("x-field-\($0)", "a value of some length") })
                connection.flood(.continuation(stream, block))
            case .emptyContinuations:
                connection.send(.headers(stream, .status(200), []))
                connection.flood(.continuation(stream, HPACKBlock()))
            case .manyFields:
                // 10 MB in fields of 1 KB.
                connection.send(.headers(stream, .status(200), []))
                let value = String(repeating: "v", count: 1_000)
                let block = HPACKBlock((0..<16).map { ("x-\($0)", value) })
                for _ in 0..<640 where !connection.send(.continuation(stream, block)) { return }
                connection.send(.continuation(stream, HPACKBlock(), .endHeaders))
                connection.respond(stream, Data())
            case .settings: connection.flood(.settings)
            case .pings: connection.flood(.ping)
            case .interimResponses:
                let fields = [("link", "</a.css>; rel=preload")]
                connection.flood(.headers(stream, .status(103, fields)))
            case .resets:
                connection.flood(.reset(stream + 2, code: 0))
            case .silence: break
            }
            connection.readToEnd()
        }

        /// One large field that is repeated by one byte each: 448 MB from 112 KB.
        private static func sendBomb(_ connection: HTTP2Connection, _ stream: UInt32) {
            var (first, more) = (HPACKBlock.status(200), HPACKBlock())
            first.append("bomb", String(repeating: "b", count: 4_000), enters: true)
            more.repeatNewest(16_000)
            connection.send(.headers(stream, first, []))
            for _ in 0..<7 { connection.send(.continuation(stream, more)) }
            connection.send(.continuation(stream, HPACKBlock(), .endHeaders))
            connection.respond(stream, Data())
        }
    }

    @Test("An attack ends in an error, in bounded time and memory", arguments: Attack.allCases)
    func attack(_ attack: Attack) async throws {
        let server = try HTTP2Server { connection in
            if let stream = connection.nextRequest() { attack.run(connection, stream) }
        }
        defer { server.stop() }
        let other = try LoopbackServer { _ in .ok(bytes(10_000)) }
        defer { other.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let before = ProcessStatus.residentBytes
        let handler = Recorder()
        rig.start(server.url(), handler) { request in
            request.limits.idle = .milliseconds(500)
            request.limits.total = .seconds(2)
        }
        // A transfer to another server is not delayed in the meantime.
        var downloads = 0
        while !handler.isFinished, downloads < 1_000 {
            let download = Recorder()
            rig.start(other.url(), download)
            _ = try await download.result(within: .seconds(5)).get()
            downloads += 1
        }
        let error = try #require(try await handler.error())
        #expect(isExpected(error, of: attack), "\(error)")
        #expect(downloads > 0)
        // Other tests run at the same time; the bomb alone would take more.
        #expect(ProcessStatus.residentBytes - before < ProcessStatus.slowness * 256 << 20)
        #expect(handler.bytesTaken == 0)
    }

    private func isExpected(_ error: TransportError, of attack: Attack) -> Bool {
        switch error {
        // libcurl may end the stream or the whole connection.
        case .headerTooLarge, .malformed, .connectionLost: attack != .silence
        case .timedOut(.idle), .timedOut(.total): true
        default: false
        }
    }

    @Test("Header fields above the limit of a request fail, and those below it arrive", arguments: [40, 100])
    func headerLimit(kilobytes: Int) async throws {
        let value = String(repeating: "v", count: 1_000)
        let server = try HTTP2Server { connection in
            while let stream = connection.nextRequest() {
                let fields = (0..<kilobytes).map { ("x-\($0)", value) }
                // Frames of at most 16 KB.
                connection.send(.headers(stream, .status(200), []))
                for start in stride(from: 0, to: kilobytes, by: 14) {
                    let block = HPACKBlock(Array(fields[start..<min(start + 14, kilobytes)]))
                    let isLast = start + 14 >= kilobytes
                    connection.send(.continuation(stream, block, isLast ? .endHeaders : []))
                }
                connection.send(body: bytes(10), on: stream, ends: true)
            }
        }
        defer { server.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let (small, large) = (Recorder(), Recorder())
        rig.start(server.url(), small) { $0.limits.maxHeaderBytes = 20 << 10 }
        #expect(try await small.error() == .headerTooLarge(limit: 20 << 10))
        rig.start(server.url(), large)
        _ = try await large.result().get()
        #expect(large.now.head?.value(forHTTPHeaderField: "x-39") == value)
        #expect(large.now.body == bytes(10))
    }
}
