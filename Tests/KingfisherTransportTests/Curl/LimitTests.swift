import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Time and size limits with real connections.
@Suite struct LimitTests {
    @Test func silentServerEndsInAnIdleTimeout() async throws {
        let server = try LoopbackServer {
            $0.path == "/head" ? ServerResponse([.hang]) : .partial(Data("x".utf8), of: 9, then: .hang)
        }
        defer { server.stop() }
        for path in ["/head", "/body"] {
            let clock = ContinuousClock.now
            let error = try await run(request(server.url(path)) { $0.limits.idle = .milliseconds(150) })
                .error()
            #expect(error == .timedOut(.idle))
            #expect(ContinuousClock.now - clock >= .milliseconds(150))
        }
        #expect(await server.wait { $0.openConnections == 0 })
    }

    @Test func slowDripEndsAtTheTotalLimit() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(1_000)).dripping(4, every: .milliseconds(20)) }
        defer { server.stop() }
        let handler = try await run(
            request(server.url()) { request in
                request.limits.idle = .milliseconds(1_000)
                request.limits.total = .milliseconds(1_500)
            })
        #expect(try await handler.error() == .timedOut(.total))
    }

    @Test func slowDripWithinTheLimitsArrives() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(40)).dripping(10, every: .milliseconds(60)) }
        defer { server.stop() }
        let handler = try await run(
            request(server.url()) { request in
                request.limits.idle = .milliseconds(900)
                request.limits.total = nil
            })
        #expect(handler.now.body == bytes(40))
    }

    @Test func serverThatNeverAcceptsEndsInAConnectTimeout() async throws {
        // A listener with a full backlog: the kernel does not respond to further connections.
        let listener = try FullBacklog()
        defer { listener.close() }
        let error = try await run(
            request(listener.url) { request in
                request.limits.connect = .milliseconds(200)
                request.limits.idle = .seconds(30)
            }
        ).error()
        #expect(error == .timedOut(.connect))
    }

    @Test func waitingForAFreeConnectionHasNoConnectTimeout() async throws {
        let gate = ServerGate()
        let server = try LoopbackServer {
            $0.path == "/held" ? .ok(Data()).held(by: gate) : .ok(Data("b".utf8))
        }
        defer { server.stop() }
        let transport = curlTransport { $0.maxConnectionsPerHost = 1 }
        defer { transport.invalidate() }
        let (first, second) = (Recorder(), Recorder())
        _ = transport.start(request(server.url("/held")), handler: first)
        #expect(await server.wait { $0.requestCount("/held") == 1 })
        _ = transport.start(
            request(server.url("/next")) { request in
                request.limits.connect = .milliseconds(50)
                request.limits.idle = .milliseconds(900)
            }, handler: second)
        // Longer than both limits of the second request, which must not run while it waits.
        let early = await poll(upTo: .milliseconds(1_200)) { second.isFinished }
        #expect(!early)
        gate.release()
        _ = try await second.result().get()
        #expect(server.acceptedConnections == 1)
    }

    @Test func nameServerThatHangsTimesOut() async throws {
        let resolver = StubResolver { _ in nil }
        let transport = curlTransport { $0.resolver = resolver }
        let url = try #require(URL(string: "http://slow.test/"))
        let error = try await run(request(url) { $0.limits.connect = .milliseconds(100) }, on: transport)
            .error()
        #expect(error == .timedOut(.resolve))
        resolver.releaseAll(.success(loopback))
    }

    @Test func bodiesEndAtTheLimit() async throws {
        let server = try LoopbackServer { request in
            request.path == "/announced" ? .ok(bytes(200_000)) : .chunked([bytes(100_000), bytes(100_000)])
        }
        defer { server.stop() }
        for path in ["/announced", "/chunked"] {
            let handler = try await run(request(server.url(path)) { $0.limits.maxBodyBytes = 150_000 })
            #expect(try await handler.error() == .bodyTooLarge(limit: 150_000))
            #expect(handler.bytesTaken <= 150_000)
            let fits = try await run(request(server.url(path)) { $0.limits.maxBodyBytes = 200_000 })
            #expect(fits.bytesTaken == 200_000)
        }
    }

    @Test func gzipIsDecodedAndCounted() async throws {
        let plain = Data(repeating: 65, count: 300_000)
        let packed = Gzip.packed(plain)
        let server = try LoopbackServer { _ in .ok(packed, headers: [("Content-Encoding", "gzip")]) }
        defer { server.stop() }
        let handler = try await run(request(server.url()))
        #expect(handler.now.body == plain)
        let metrics = try #require(try handler.now.result?.get())
        #expect(metrics.bytesDecoded == 300_000)
        #expect(metrics.bytesReceived == packed.count)
        #expect(server.requests.first?.header("Accept-Encoding")?.contains("gzip") == true)
    }

    @Test func gzipBombStopsAtTheLimit() async throws {
        let packed = Gzip.zeros(64 << 20)
        #expect(packed.count < 100_000)
        let server = try LoopbackServer { _ in .ok(packed, headers: [("Content-Encoding", "gzip")]) }
        defer { server.stop() }
        let handler = Recorder(keepsBody: false)
        _ = try await run(request(server.url()) { $0.limits.maxBodyBytes = 1 << 20 }, handler: handler)
        #expect(try await handler.error() == .bodyTooLarge(limit: 1 << 20))
        #expect(handler.bytesTaken <= 1 << 20)
    }

    @Test(arguments: [500_000, 1 << 20, 2_500_000])
    func gzipBodyWithinTheLimitIsDecodedWhole(count: Int) async throws {
        let packed = Gzip.zeros(count)
        let server = try LoopbackServer { _ in .ok(packed, headers: [("Content-Encoding", "gzip")]) }
        defer { server.stop() }
        let handler = try await run(request(server.url()) { $0.limits.maxBodyBytes = count })
        #expect(handler.now.body == Data(count: count))
        let metrics = try #require(try handler.now.result?.get())
        #expect(metrics.bytesReceived == packed.count)
    }
}

/// A listening socket whose queue is full, so that the kernel does not respond to further connections.
struct FullBacklog {
    let url: URL
    private let descriptors: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var opened = [listener]
        try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try #require(bind(listener, address, length) == 0 && listen(listener, 0) == 0)
                try #require(getsockname(listener, address, &length) == 0)
                for _ in 0..<4 {
                    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(client, address, length)
                    opened.append(client)
                }
            }
        }
        descriptors = opened
        url = try #require(URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"))
    }

    func close() { for descriptor in descriptors { Foundation.close(descriptor) } }
}
