import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// A server that keeps the loop busy delays no other transfer, and exceeds no limit.
@Suite(.serialized) struct LoopFairnessTests {
    enum Flood: String, CaseIterable {
        case chunks, encodedChunks, bomb, nestedBomb, chunkExtension
    }

    /// Sends an endless body on every path but "/other".
    private func server(_ flood: Flood) throws -> LoopbackServer {
        let block: Data
        var (start, fields) = (Data(), [("Transfer-Encoding", "chunked")])
        switch flood {
        case .chunks: block = Data(repeatElement(Array("1\r\nx\r\n".utf8), count: 32_768).joined())
        case .encodedChunks:
            // RFC 1951, 3.2.4: stored blocks of one byte, each byte in a chunk.
            let stored: [UInt8] = [0, 1, 0, 0xFE, 0xFF, 0x78]
            block = Data(
                repeatElement(stored.flatMap { Array("1\r\n".utf8) + [$0, 13, 10] }, count: 5_000).joined())
            start = ServerResponse.chunk(Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]))
            fields.append(("Content-Encoding", "gzip"))
        case .bomb:
            // Its blocks follow a header of 10 bytes and are independent of each other.
            let bomb = Gzip.zeros(8 << 20)
            start = ServerResponse.chunk(bomb.prefix(10))
            block = ServerResponse.chunk(Data(bomb.dropFirst(10).prefix(bomb.count - 20)))
            fields.append(("Content-Encoding", "gzip"))
        case .nestedBomb:
            // The outer gzip expands to an endless run of empty blocks of the inner one (RFC 1951, 3.2.4).
            let inner = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
            let empty = Data(repeatElement([0, 0, 0, 0xFF, 0xFF], count: 13_107).joined())
            start = ServerResponse.chunk(
                Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 0, 10, 0, 0xF5, 0xFF]) + inner)
            block = ServerResponse.chunk(Gzip.part(Data(repeatElement(empty, count: 100).joined())))
            fields.append(("Content-Encoding", "gzip, gzip"))
        case .chunkExtension:
            start = Data("1;".utf8)
            block = Data(repeating: UInt8(ascii: "x"), count: 200_000)
        }
        let head = ServerResponse.head(200, headers: fields) + start
        let steps = [ServerResponse.Step.send(head)] + Array(repeating: .send(block), count: 50_000)
        return try LoopbackServer { $0.path == "/other" ? .ok(bytes(10_000)) : ServerResponse(steps) }
    }

    /// The longest of some sequential downloads.
    private func longestDownload(
        _ count: Int, from server: LoopbackServer, on transport: CurlTransport
    ) async throws -> Duration {
        var longest = Duration.zero
        for _ in 0..<count {
            let handler = Recorder()
            let start = ContinuousClock.now
            _ = transport.start(request(server.url("/other")), handler: handler)
            _ = try await handler.result().get()
            longest = max(longest, try #require(handler.now.end) - start)
        }
        return longest
    }

    @Test("Other downloads complete beside a flood, which ends at the total limit", arguments: Flood.allCases)
    func flood(_ flood: Flood) async throws {
        let (server, other) = (try server(flood), try server(.chunks))
        defer {
            server.stop()
            other.stop()
        }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let (handler, start) = (Recorder(keepsBody: false), ContinuousClock.now)
        let total = Duration.seconds(2) * ProcessStatus.slowness
        _ = transport.start(
            request(server.url("/flood")) { request in
                request.limits.total = total
                // The server also needs a processor, which other processes may have.
                request.limits.idle = Duration.milliseconds(600) * ProcessStatus.slowness
                request.limits.maxBodyBytes = .max
            }, handler: handler)
        #expect(await poll { handler.now.head != nil })
        let longest = try await longestDownload(10, from: other, on: transport)
        // Without shares, this is the time of the whole flood. In a release build it is a few milliseconds;
        // see decision 045.
        #expect(longest < total / 2, "\(flood): \(longest)")
        #expect(try await handler.error() == .timedOut(.total))
        let end = try #require(handler.now.end)
        #expect(end - start < total + .seconds(1) * ProcessStatus.slowness)
    }

    @Test("A flood ends at the body limit")
    func floodEndsAtTheBodyLimit() async throws {
        let server = try server(.chunks)
        defer { server.stop() }
        let handler = Recorder(keepsBody: false)
        _ = try await run(
            request(server.url("/flood")) { $0.limits.maxBodyBytes = 300_000 }, handler: handler)
        #expect(try await handler.error() == .bodyTooLarge(limit: 300_000))
        #expect(handler.bytesTaken > 200_000 && handler.bytesTaken <= 300_000)
    }

    @Test("Bytes of an incomplete header line do not count as idle time")
    func drippedHead() async throws {
        let server = try LoopbackServer { _ in
            ServerResponse([.drip(Data("HTTP/1.1 200 OK\r\n".utf8), piece: 1, every: .milliseconds(150))])
        }
        defer { server.stop() }
        let handler = try await run(
            request(server.url()) { request in
                request.limits.idle = .milliseconds(500)
                request.limits.total = .milliseconds(1_600)
            })
        #expect(try await handler.error() == .timedOut(.total))
    }
}
