import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// Slow transfers over a stub, and over real sockets with reduced counts.
@Suite struct SlowTransferTests {
    private static let rate = MinimumRate(bytesPerSecond: 1 << 10, window: .milliseconds(300))

    private func queue(
        _ base: (CurlTransport.Configuration) -> any Transport,
        _ change: (inout QueuedTransport.Limits) -> Void = { _ in }
    ) -> QueuedTransport {
        var limits = QueuedTransport.Limits()
        change(&limits)
        var configuration = CurlTransport.Configuration()
        configuration.environment = [:]
        configuration.maxConnectionsPerHost = limits.connectionsPerHost
        return QueuedTransport(base(configuration), limits: limits)
    }

    private func start(
        _ url: URL, on transport: any Transport, rate: MinimumRate? = rate, handler: Recorder = Recorder()
    ) -> (task: any TransportTask, handler: Recorder) {
        let request = request(url) { request in
            request.limits.minimumRate = rate
            request.limits.total = .seconds(30)
        }
        return (transport.start(request, handler: handler), handler)
    }

    @Test("Slow transfers yield their slots to waiting ones; beyond a limit they fail as too slow")
    func silentHost() async throws {
        let server = try LoopbackServer {
            $0.path == "/quick" ? .ok(bytes(10)) : .partial(bytes(1), of: 9, then: .hang)
        }
        defer { server.stop() }
        let queue = queue({ CurlTransport($0) }) {
            $0.perHost = 3
            $0.slowPerHost = 2
        }
        defer { queue.invalidate() }
        let silent = (0..<6).map { _ in start(server.url("/silent"), on: queue) }
        let quick = start(server.url("/quick"), on: queue)
        _ = try await quick.handler.result().get()
        let ended = silent.map(\.handler).filter(\.isFinished)
        #expect(!ended.isEmpty && queue.slowTransfers == 2)
        // On a crowded host, the window is a fifth as long, and the error contains it.
        let short = MinimumRate(bytesPerSecond: Self.rate.bytesPerSecond, window: Self.rate.window / 5)
        for handler in ended {
            let error = try #require(try await handler.error())
            #expect([.tooSlow(Self.rate), .tooSlow(short)].contains(error))
        }
        #expect(
            !silent[0].handler.isFinished && !silent[1].handler.isFinished, "they continue outside the slots")
        #expect(await server.wait { $0.openConnections <= 3 + 2 + 1 })
    }

    @Test("Behind slow transfers, the default transport has a connection for each slot")
    func connectionsOfSlots() async throws {
        let server = try LoopbackServer { _ in .partial(bytes(1), of: 9, then: .hang) }
        defer { server.stop() }
        var configuration = CurlTransport.Configuration()
        configuration.environment = [:]
        #expect(configuration.maxConnectionsPerHost == QueuedTransport.Limits().connectionsPerHost)
        let queue = QueuedTransport(CurlTransport(configuration))
        defer { queue.invalidate() }
        let silent = (0..<6).map { _ in start(server.url("/silent"), on: queue) }
        #expect(await poll { silent.allSatisfy { $0.handler.now.head != nil } })
        let late = (0..<6).map { _ in start(server.url("/silent"), on: queue, rate: nil) }
        #expect(await poll { late.allSatisfy { $0.handler.now.head != nil } })
    }

    @Test("A slow transfer continues if no other waits")
    func noOtherWaits() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(20)).dripping(1, every: .milliseconds(10)) }
        defer { server.stop() }
        let queue = queue { CurlTransport($0) }
        defer { queue.invalidate() }
        let rate = MinimumRate(bytesPerSecond: 1 << 20, window: .milliseconds(50))
        let slow = start(server.url(), on: queue, rate: rate)
        _ = try await slow.handler.result().get()
        #expect(slow.handler.bytesTaken == 20 && queue.slowTransfers == 0)
    }

    @Test("Many dripping hosts delay another host by less than a second")
    func drippingHosts() async throws {
        let hosts = try (0..<10).map { _ in
            try LoopbackServer { _ in .ok(bytes(1_000)).dripping(1, every: .milliseconds(200)) }
        }
        let other = try LoopbackServer { _ in .ok(bytes(10)) }
        defer { for server in hosts + [other] { server.stop() } }
        let queue = queue({ CurlTransport($0) }) {
            $0.total = 20
            $0.reserve = 10
        }
        defer { queue.invalidate() }
        for host in hosts { for _ in 0..<6 { _ = start(host.url(), on: queue, rate: MinimumRate()) } }
        let begin = ContinuousClock.now
        let quick = start(other.url(), on: queue, rate: MinimumRate())
        _ = try await quick.handler.result().get()
        let end = try #require(quick.handler.now.end)
        #expect(end - begin < .seconds(ProcessStatus.slowness))
    }

    @Test("Time during which the handler pauses a transfer does not make it slow")
    func paused() async throws {
        let server = try LoopbackServer {
            $0.path == "/quick" ? .ok(bytes(10)) : .ok(bytes(300_000))
        }
        defer { server.stop() }
        let queue = queue({ CurlTransport($0) }) { $0.perHost = 2 }
        defer { queue.invalidate() }
        let inHead = start(server.url("/head"), on: queue, handler: Recorder { _, _ in .wait })
        let inBody = start(server.url("/body"), on: queue, handler: Recorder(onBody: { _, _ in false }))
        #expect(await poll { inHead.handler.now.head != nil && inBody.handler.now.head != nil })
        let quick = start(server.url("/quick"), on: queue)
        // Longer than the window, as the paused time must not count.
        let early = await poll(upTo: .milliseconds(700)) { quick.handler.isFinished }
        #expect(!early && queue.slowTransfers == 0 && queue.waitingTransfers == 1)
        inHead.task.resume()
        _ = try await quick.handler.result().get()
        #expect(!inBody.handler.isFinished)
    }

    @Test("A transfer that sends a body or has no minimum rate is never slow")
    func uploadsAndMissingRates() async throws {
        let stub = StubTransport { _ in .ok(Data()) }
        stub.hold()
        let queue = queue({ _ in stub }) { $0.perHost = 1 }
        let url = try #require(URL(string: "http://a.test/"))
        var upload = request(url) { $0.limits.minimumRate = Self.rate }
        upload.urlRequest.httpMethod = "PUT"
        upload.urlRequest.httpBody = bytes(10)
        let other = try #require(URL(string: "http://b.test/"))
        _ = queue.start(upload, handler: Recorder())
        _ = start(other, on: queue, rate: nil)
        for url in [url, other] { _ = start(url, on: queue) }
        let moved = await poll(upTo: .milliseconds(700)) { stub.requests.count > 2 }
        #expect(!moved)
        queue.invalidate()
    }

    @Test("The error contains rate and window, and its URLError is a timeout")
    func errorText() {
        let error = TransportError.tooSlow(MinimumRate())
        #expect(
            error.message
                == "too slow: less than 1024 bytes a second over 5.0 seconds, while other transfers waited")
        #expect(error.urlError.code == .timedOut)
    }
}
