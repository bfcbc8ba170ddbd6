import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// A cancel takes effect immediately at every stage, and only for its transfer.
@Suite struct CancelTests {
    /// Far below the shortest timeout, which is 60 s; on a busy machine threads are late by seconds.
    private static let immediate = Duration.seconds(15)

    @Test func whileTheServerHangs() async throws {
        let server = try LoopbackServer {
            $0.path == "/head" ? ServerResponse([.hang]) : .partial(bytes(10), of: 99, then: .hang)
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        for path in ["/head", "/body"] {
            let handler = Recorder()
            let task = transport.start(request(server.url(path)), handler: handler)
            #expect(await server.wait { $0.requestCount(path) == 1 })
            if path == "/body" { #expect(await poll { handler.bytesTaken == 10 }) }
            let start = ContinuousClock.now
            task.cancel()
            #expect(try await handler.error() == .cancelled)
            #expect(ContinuousClock.now - start < Self.immediate)
            #expect(await server.wait { $0.openConnections == 0 }, "the connection is closed")
        }
    }

    @Test func fromWithinTheCallbacks() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(2_000_000)) }
        defer { server.stop() }
        let inHead = Recorder(onHead: { task, _ in
            task.cancel()
            return .proceed
        })
        #expect(try await run(request(server.url()), handler: inHead).error() == .cancelled)
        #expect(inHead.bytesTaken == 0)

        let byAnswer = Recorder(onHead: { _, _ in .cancel })
        #expect(try await run(request(server.url()), handler: byAnswer).error() == .cancelled)
        #expect(byAnswer.bytesTaken == 0)

        let inBody = Recorder(onBody: { task, _ in
            task.cancel()
            return true
        })
        #expect(try await run(request(server.url()), handler: inBody).error() == .cancelled)
        #expect(inBody.now.pieces == 1)
        #expect(await server.wait { $0.openConnections == 0 })
    }

    @Test func whileTheHandlerWaitsOrIsPaused() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(500_000)) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        for handler in [Recorder(onHead: { _, _ in .wait }), Recorder(onBody: { _, _ in false })] {
            let task = transport.start(request(server.url()), handler: handler)
            #expect(await poll { handler.now.head != nil })
            task.cancel()
            #expect(try await handler.error() == .cancelled)
            #expect(handler.bytesTaken == 0)
        }
    }

    @Test func afterTheEndHasNoEffect() async throws {
        let server = try LoopbackServer { _ in .ok(Data("a".utf8)) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let (first, second) = (Recorder(), Recorder())
        let task = transport.start(request(server.url()), handler: first)
        _ = try await first.result().get()
        task.cancel()
        task.resume()
        _ = transport.start(request(server.url()), handler: second)
        _ = try await second.result().get()
        #expect(first.now.violations == [])
    }

    @Test func whileTheNameServerHangsWithoutEffectOnOthers() async throws {
        let server = try LoopbackServer { _ in .ok(Data("b".utf8)) }
        defer { server.stop() }
        let resolver = StubResolver { $0 == "slow.test" ? nil : .success(loopback) }
        let transport = curlTransport { $0.resolver = resolver }
        defer { transport.invalidate() }
        let slow = Recorder()
        let task = transport.start(
            request(try #require(URL(string: "http://slow.test/"))) { $0.limits.connect = .seconds(60) },
            handler: slow)
        #expect(await poll { resolver.lookups == ["slow.test"] })

        let other = Recorder()
        let url = try #require(URL(string: "http://quick.test:\(server.port)/"))
        _ = transport.start(request(url), handler: other)
        _ = try await other.result().get()
        #expect(!slow.isFinished)

        let start = ContinuousClock.now
        task.cancel()
        #expect(try await slow.error() == .cancelled)
        #expect(ContinuousClock.now - start < Self.immediate)
        resolver.releaseAll(.success(loopback))
        #expect(server.requests.map { $0.header("Host") } == ["quick.test:\(server.port)"])
    }

    @Test func invalidationCancelsAllTransfers() async throws {
        let server = try LoopbackServer { _ in ServerResponse([.hang]) }
        defer { server.stop() }
        let transport = curlTransport { $0.maxConnectionsPerHost = 4 }
        let handlers = (0..<8).map { _ in Recorder() }
        for handler in handlers { _ = transport.start(request(server.url()), handler: handler) }
        #expect(await server.wait { $0.requestCount() == 4 })
        transport.invalidate()
        for handler in handlers { #expect(try await handler.error() == .cancelled) }
        let late = Recorder()
        _ = transport.start(request(server.url()), handler: late)
        #expect(try await late.error() == .cancelled)
        #expect(await server.wait { $0.openConnections == 0 })
    }

    @Test func releasingTheTransportCancels() async throws {
        let server = try LoopbackServer { _ in ServerResponse([.hang]) }
        defer { server.stop() }
        let handler = Recorder()
        do {
            let transport = curlTransport()
            _ = transport.start(request(server.url()), handler: handler)
            #expect(await server.wait { $0.requestCount() == 1 })
        }
        #expect(try await handler.error() == .cancelled)
        #expect(await server.wait { $0.openConnections == 0 })
    }
}

/// Descriptors and threads after many transfers. The bounds allow for suites that run concurrently, and are
/// far below one leak for each transfer or transport.
@Suite struct LeakTests {
    @Test func randomCancelsLeakNothing() async throws {
        let server = try LoopbackServer { request in
            switch request.path.last {
            case "0": ServerResponse([.hang])
            case "1": .ok(bytes(20_000)).delayed(by: .milliseconds(3))
            case "2": .partial(bytes(500), of: 90_000, then: .hang)
            case "3": ServerResponse([.reset])
            default: .ok(bytes(20_000))
            }
        }
        defer { server.stop() }
        let (descriptors, threads) = (ProcessStatus.openDescriptors, ProcessStatus.threads)
        let transport = curlTransport { $0.maxConnectionsPerHost = 16 }
        var random = SystemRandomNumberGenerator()
        var handlers: [(Recorder, any TransportTask)] = []
        for index in 0..<1_000 {
            let handler = Recorder(keepsBody: false)
            let task = transport.start(
                request(server.url("/\(index % 10)")) { $0.limits.idle = .seconds(20) }, handler: handler)
            handlers.append((handler, task))
            if Bool.random(using: &random) { task.cancel() }
            if index % 7 == 0 { handlers[Int.random(in: 0...index, using: &random)].1.cancel() }
            if index % 50 == 0 { try await Task.sleep(for: .milliseconds(1)) }
        }
        for (_, task) in handlers.shuffled(using: &random) { task.cancel() }
        for (handler, _) in handlers { _ = try await handler.result() }
        transport.invalidate()
        #expect(await server.wait { $0.openConnections == 0 })
        #expect(await poll { ProcessStatus.openDescriptors < descriptors + 60 })
        #expect(await poll { ProcessStatus.threads < threads + 60 })
    }

    @Test func transportsLeakNothing() async throws {
        let server = try LoopbackServer { _ in .ok(bytes(100)) }
        defer { server.stop() }
        let (descriptors, threads) = (ProcessStatus.openDescriptors, ProcessStatus.threads)
        for _ in 0..<100 { _ = try await run(request(server.url())).now.result?.get() }
        #expect(await server.wait { $0.openConnections == 0 })
        #expect(await poll { ProcessStatus.openDescriptors < descriptors + 60 })
        #expect(await poll { ProcessStatus.threads < threads + 60 })
    }

    @Test func handlersAreReleased() async throws {
        let server = try LoopbackServer { $0.path == "/hang" ? ServerResponse([.hang]) : .ok(bytes(100)) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        weak var done: Recorder?
        weak var cancelled: Recorder?
        var tasks: [any TransportTask] = []
        do {
            let (first, second) = (Recorder(), Recorder())
            (done, cancelled) = (first, second)
            tasks.append(transport.start(request(server.url()), handler: first))
            tasks.append(HTTPFetch(transport).start(request(server.url("/hang")), handler: second))
            _ = try await first.result().get()
            tasks[1].cancel()
            _ = try await second.result()
        }
        #expect(await poll { done == nil && cancelled == nil })
        withExtendedLifetime(tasks) {}
    }
}
