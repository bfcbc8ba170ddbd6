import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

@Suite struct HTTPFetchTests {
    private func table(_ answers: [String: StubAnswer]) -> StubTransport {
        StubTransport { request in answers[request.url?.path ?? ""] ?? StubAnswer(status: 404) }
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "http://a.test" + path)) }

    private func fetch(
        _ path: String, on transport: some Transport, handler: Recorder = Recorder(),
        redirect: RedirectHook? = nil
    ) async throws -> Recorder {
        try await HTTPFetch(transport).run(request(url(path)), redirect: redirect, handler: handler)
    }

    @Test func chainEndsInItsLastResponse() async throws {
        let stub = table([
            "/1": .redirect(to: "/2"), "/2": .redirect(to: "3", status: 307), "/3": .ok(Data("end".utf8)),
        ])
        let handler = try await fetch("/1", on: stub)
        #expect(handler.now.body == Data("end".utf8))
        #expect(handler.now.head?.url?.path == "/3")
        #expect(try handler.now.result?.get().redirectCount == 2)
        #expect(stub.requests.map(\.url?.path) == ["/1", "/2", "/3"])
        #expect(stub.liveTransfers == 0)
    }

    @Test func finishedTaskReleasesHandlerAndHooks() async throws {
        final class Token: Sendable {}
        weak var weakToken: Token?
        weak var weakHandler: Recorder?
        func run() async throws -> any TransportTask {
            let (token, handler) = (Token(), Recorder())
            (weakToken, weakHandler) = (token, handler)
            let stub = table(["/a": .redirect(to: "/b"), "/b": .ok(Data())])
            let task = HTTPFetch(stub).start(
                request(try url("/a")),
                redirect: { _, request, completion in
                    withExtendedLifetime(token) { completion(.follow(request)) }
                }, handler: handler)
            _ = try await handler.result().get()
            return task
        }
        let task = try await run()
        #expect(await poll { weakToken == nil && weakHandler == nil })
        withExtendedLifetime(task) {}
    }

    @Test func loopFailsWithTooManyRedirects() async throws {
        let stub = table(["/a": .redirect(to: "/b"), "/b": .redirect(to: "/a")])
        let handler = try await fetch("/a", on: stub)
        #expect(try await handler.error() == .tooManyRedirects(limit: 5))
        #expect(handler.now.head == nil)
        #expect(stub.requests.count == 6)
    }

    @Test func forbiddenTargetFails() async throws {
        let handler = try await fetch("/a", on: table(["/a": .redirect(to: "file:///etc/passwd")]))
        guard case .redirectRefused = try await handler.error() else { return #expect(Bool(false)) }
    }

    @Test func hookDecides() async throws {
        let stub = table(["/a": .redirect(to: "/b"), "/b": .ok(Data("b".utf8)), "/c": .ok(Data("c".utf8))])
        let calls = Mutex<[String]>([])
        let changed = try await fetch("/a", on: stub) { response, newRequest, completion in
            calls.withLock { $0.append("\(response.statusCode) \(newRequest.url?.path ?? "")") }
            var other = newRequest
            other.url = URL(string: "http://a.test/c")
            let answer = other
            DispatchQueue.global().async {
                completion(.follow(answer))
                completion(.deliver)
            }
        }
        #expect(changed.now.body == Data("c".utf8))
        #expect(calls.withLock(\.self) == ["302 /b"])
        let refused = try await fetch("/a", on: stub) { _, newRequest, completion in
            var other = newRequest
            other.url = URL(string: "ftp://a.test/c")
            completion(.follow(other))
        }
        guard case .redirectRefused = try await refused.error() else { return #expect(Bool(false)) }
    }

    @Test(arguments: ["", "moved"]) func hookCanDeliverTheRedirectItself(_ text: String) async throws {
        var answer = StubAnswer.redirect(to: "/b")
        answer.body = Data(text.utf8)
        let stub = table(["/a": answer])
        let plain = try await fetch("/a", on: stub) { $2(.deliver) }
        #expect(plain.now.head?.statusCode == 302)
        #expect(plain.now.body == Data(text.utf8))
        #expect(throws: Never.self) { try plain.now.result?.get() }

        let cancelling = Recorder(onHead: { _, _ in .cancel })
        #expect(try await fetch("/a", on: stub, handler: cancelling) { $2(.deliver) }.error() == .cancelled)

        let inside = Recorder(onHead: { task, _ in
            task.resume()
            return .wait
        })
        #expect(try await fetch("/a", on: stub, handler: inside) { $2(.deliver) }.now.body == Data(text.utf8))

        for ends in [true, false] {
            let waiting = Recorder(onHead: { _, _ in .wait })
            let task = HTTPFetch(stub).start(
                request(try url("/a")), redirect: { $2(.deliver) }, handler: waiting)
            #expect(await poll { waiting.now.head != nil })
            #expect(!waiting.isFinished && waiting.bytesTaken == 0)
            if ends { task.resume() } else { task.cancel() }
            #expect(try await waiting.error() == (ends ? nil : .cancelled))
            #expect(waiting.now.body == (ends ? Data(text.utf8) : Data()))
        }
    }

    @Test func cancelDuringTheHook() async throws {
        let stub = table(["/a": .redirect(to: "/b"), "/b": .ok(Data())])
        let pending = Mutex<(@Sendable (RedirectDecision) -> Void)?>(nil)
        let handler = Recorder()
        let target = URLRequest(url: try url("/b"))
        let task = HTTPFetch(stub).start(
            request(try url("/a")),
            redirect: { _, _, completion in pending.withLock { $0 = completion } }, handler: handler)
        #expect(await poll { pending.withLock { $0 != nil } })
        task.resume()
        #expect(!handler.isFinished, "the handler's resume does not replace the hook's decision")
        task.cancel()
        #expect(try await handler.error() == .cancelled)
        pending.withLock(\.self)?(.follow(target))
        #expect(stub.requests.count == 1)
    }

    @Test func cancelAndInvalidateBetweenHops() async throws {
        let stub = table(["/a": .redirect(to: "/b"), "/b": .ok(Data("b".utf8))])
        let hold = Mutex<StubTransport?>(stub)
        let handler = Recorder()
        let task = HTTPFetch(stub).start(
            request(try url("/a")),
            redirect: { _, next, completion in
                hold.withLock { $0 }?.hold()
                completion(.follow(next))
            }, handler: handler)
        #expect(await poll { stub.requests.count == 2 })
        task.cancel()
        #expect(try await handler.error() == .cancelled)
        stub.invalidate()
        let late = Recorder()
        _ = HTTPFetch(stub).start(request(try url("/a")), handler: late)
        #expect(try await late.error() == .cancelled)
    }

    @Test func startThatReturnsLateLosesNoCancel() async throws {
        let stub = table(["/a": .redirect(to: "/b"), "/b": .ok(Data("b".utf8))])
        let didReturn = Atomic(false)
        let slow = SlowStart(stub) { request in
            if request.url?.path == "/b" { stub.hold() }
        } after: { request in
            // The first hop's start returns when the second hop runs.
            guard request.url?.path == "/a" else { return }
            SlowStart.wait { stub.requests.count == 2 }
            didReturn.store(true, ordering: .releasing)
        }
        let handler = Recorder()
        let tasks = Mutex<[any TransportTask]>([])
        let first = request(try url("/a"))
        DispatchQueue.global().async {
            let task = HTTPFetch(slow).start(first, handler: handler)
            tasks.withLock { $0.append(task) }
        }
        #expect(await poll { tasks.withLock { !$0.isEmpty } })
        let isLate = didReturn.load(ordering: .acquiring)
        #expect(isLate)
        tasks.withLock { $0.first }?.cancel()
        #expect(try await handler.error() == .cancelled)
    }

    @Test func startThatReturnsLateLosesNoResume() async throws {
        let stub = table(["/a": .ok(Data("a".utf8))])
        let handler = Recorder(onHead: { task, _ in
            DispatchQueue.global().async { task.resume() }
            return .wait
        })
        let slow = SlowStart(stub) { _ in
        } after: { _ in
            SlowStart.wait { handler.isFinished }
        }
        let first = request(try url("/a"))
        DispatchQueue.global().async { _ = HTTPFetch(slow).start(first, handler: handler) }
        _ = try await handler.result().get()
        #expect(handler.now.body == Data("a".utf8))
    }

    @Test func totalLimitHoldsForAllHops() async throws {
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return .redirect(to: "/\(number + 1)").delayed(by: .milliseconds(200))
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = Recorder()
        _ = HTTPFetch(transport, rules: RedirectRules(limit: 100)).start(
            request(server.url("/0")) { $0.limits.total = .milliseconds(500) }, handler: handler)
        #expect(try await handler.error() == .timedOut(.total))
        #expect((2...3).contains(server.requestCount()))
    }

    @Test(arguments: [false, true]) func connectionIsReusedAlongTheChain(_ hasHook: Bool) async throws {
        let long = ServerResponse.head(301, headers: [("Location", "/c"), ("Content-Length", "100000")])
        let server = try LoopbackServer { request in
            switch request.path {
            case "/a": .status(302, headers: [("Location", "/b")], body: Data("moved".utf8))
            case "/b": ServerResponse([.send(long), .hang])
            default: .ok(Data("end".utf8))
            }
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let hook: RedirectHook = { $2(.follow($1)) }
        let handler = try await HTTPFetch(transport).run(
            request(server.url("/a")) { $0.urlRequest.setValue("s", forHTTPHeaderField: "Cookie") },
            redirect: hasHook ? hook : nil)
        let metrics = try await handler.metrics()
        #expect(handler.now.body == Data("end".utf8))
        #expect(metrics.redirectCount == 2 && metrics.firstByte <= metrics.total)
        #expect(server.requests.map(\.path) == ["/a", "/b", "/c"])
        #expect(
            server.requests.map(\.connection) == [1, 1, 2], "a body announced as long is not read")
        #expect(server.requests.allSatisfy { $0.header("Cookie") == "s" })
    }

    @Test func credentialsDoNotReachAnotherServer() async throws {
        let other = try LoopbackServer { _ in .ok(Data("other".utf8)) }
        defer { other.stop() }
        let target = other.url("/x").absoluteString
        let server = try LoopbackServer { _ in .redirect(to: target) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let asked = request(server.url("/a")) { request in
            request.urlRequest.setValue("Bearer x", forHTTPHeaderField: "Authorization")
            request.urlRequest.setValue("1", forHTTPHeaderField: "X-Trace")
        }
        _ = try await HTTPFetch(transport).run(asked).metrics()
        #expect(server.requests.first?.header("Authorization") == "Bearer x")
        #expect(other.requests.first?.header("Authorization") == nil)
        #expect(other.requests.first?.header("X-Trace") == "1")
    }

    @Test func randomCancelsAlongAChain() async throws {
        let server = try LoopbackServer { request in
            let number = Int(request.path.dropFirst()) ?? 0
            return number < 3 ? .redirect(to: "/\(number + 1)") : .ok(bytes(5_000))
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let fetch = HTTPFetch(transport)
        var started: [(Recorder, any TransportTask)] = []
        for index in 0..<300 {
            let handler = Recorder()
            let follow: RedirectHook = { $2(.follow($1)) }
            let hook = index % 2 == 0 ? nil : follow
            started.append(
                (handler, fetch.start(request(server.url("/0")), redirect: hook, handler: handler)))
            started[Int.random(in: 0...index)].1.cancel()
            if index % 30 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
        for (handler, _) in started {
            let result = try await handler.result()
            if case .failure(let error) = result { #expect(error == .cancelled) }
        }
    }
}

/// A transport whose `start` begins the transfer and returns later.
private struct SlowStart: Transport {
    let base: StubTransport
    let before: @Sendable (URLRequest) -> Void
    let after: @Sendable (URLRequest) -> Void

    init(
        _ base: StubTransport, before: @escaping @Sendable (URLRequest) -> Void,
        after: @escaping @Sendable (URLRequest) -> Void
    ) {
        (self.base, self.before, self.after) = (base, before, after)
    }

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        before(request.urlRequest)
        let task = base.start(request, handler: handler)
        after(request.urlRequest)
        return task
    }

    func invalidate() { base.invalidate() }

    /// Blocks the caller's dispatch thread, for at most five seconds.
    static func wait(until condition: () -> Bool) {
        for _ in 0..<2_500 where !condition() { usleep(2_000) }
    }
}
