import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherTransport

/// What the protocol does in `startLoading`, by host.
private let scripts = Mutex<[String: @Sendable (ScriptedProtocol) -> Void]>([:])
private let log = Mutex<[String: [String]]>([:])

/// A protocol that runs a script, on any thread.
private final class ScriptedProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        scripts.withLock { $0[request.url?.host ?? ""] != nil }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        var request = request
        request.setValue("yes", forHTTPHeaderField: "X-Canonical")
        return request
    }

    override func startLoading() {
        note("start \(request.url?.path ?? "") \(request.value(forHTTPHeaderField: "X-Canonical") ?? "-")")
        scripts.withLock { $0[host] }?(self)
    }

    override func stopLoading() { note("stop") }

    var host: String { request.url?.host ?? "" }

    func note(_ text: String) { log.withLock { $0[host, default: []].append(text) } }

    func respond(_ status: Int = 200, _ fields: [String: String] = [:]) {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }

    func load(_ text: String) { client?.urlProtocol(self, didLoad: Data(text.utf8)) }
    func finish() { client?.urlProtocolDidFinishLoading(self) }
    func fail(_ error: any Error) { client?.urlProtocol(self, didFailWithError: error) }
}

@Suite struct URLProtocolTransportTests {
    private let base = StubTransport { _ in .ok(Data("base".utf8)) }

    /// Runs a request with a script that responds to it.
    private func run(
        _ name: String, handler: Recorder = Recorder(), limits: TransportLimits = TransportLimits(),
        _ script: @escaping @Sendable (ScriptedProtocol) -> Void
    ) async throws -> Recorder {
        let host = "\(name).test"
        scripts.withLock { $0[host] = script }
        let url = try #require(URL(string: "http://\(host)/x"))
        _ = URLProtocolTransport([ScriptedProtocol.self], over: base).start(
            TransportRequest(URLRequest(url: url), limits: limits), handler: handler)
        _ = try await handler.result()
        #expect(await poll { log.withLock { $0[host]?.last == "stop" } })
        #expect(log.withLock { $0[host] } == ["start /x yes", "stop"])
        return handler
    }

    @Test func wholeResponseIsDelivered() async throws {
        let done = try await run("whole") { stub in
            stub.respond(203, ["X-A": "b"])
            stub.load("one ")
            stub.load("")
            stub.load("two")
            stub.finish()
        }
        #expect(done.now.head?.statusCode == 203)
        #expect(done.now.head?.value(forHTTPHeaderField: "X-A") == "b")
        #expect(done.now.body == Data("one two".utf8))
        #expect(try done.now.result?.get().bytesDecoded == 7)
        #expect(base.requests.isEmpty)
    }

    @Test func requestThatNoClassAcceptsGoesToTheBase() async throws {
        let handler = Recorder()
        let url = try #require(URL(string: "http://elsewhere.test/"))
        _ = URLProtocolTransport([ScriptedProtocol.self], over: base).start(
            TransportRequest(URLRequest(url: url)), handler: handler)
        _ = try await handler.result()
        #expect(handler.now.body == Data("base".utf8))
    }

    @Test func foundationsClassesAreNotUsed() {
        let own = URLSessionConfiguration.ephemeral.protocolClasses ?? []
        #expect(!own.isEmpty)
        #expect(
            URLProtocolTransport.usable([ScriptedProtocol.self] + own).map { "\($0)" } == ["ScriptedProtocol"]
        )
        #expect(URLProtocolTransport.usable(nil).isEmpty)
    }

    @Test func callbacksMayComeInAnyOrderOnAnyThread() async throws {
        let early = try await run("early") { stub in
            nonisolated(unsafe) let stub = stub  // It has no state.
            DispatchQueue.global().async {
                stub.load("data first")
                stub.respond()
                stub.finish()
                stub.finish()
                stub.load("late")
                stub.fail(URLError(.badURL))
                stub.respond(404)
            }
        }
        #expect(early.now.body == Data("data first".utf8) && early.now.head?.statusCode == 200)
        for round in 0..<50 {
            let done = try await run("threads\(round)") { stub in
                nonisolated(unsafe) let stub = stub
                stub.respond()
                DispatchQueue.concurrentPerform(iterations: 8) { _ in stub.load("x") }
                DispatchQueue.concurrentPerform(iterations: 4) { _ in stub.finish() }
            }
            #expect(done.now.body.count == 8)
        }
    }

    @Test func failuresAreReported() async throws {
        struct CustomError: Error {}
        let failed = try await run("failed") { $0.fail(URLError(.notConnectedToInternet)) }
        let error = try #require(try await failed.error())
        #expect((error.reportedError(for: nil) as? URLError)?.code == .notConnectedToInternet)
        #expect(error.urlError.code == .notConnectedToInternet)
        let own = try #require(try await run("own") { $0.fail(CustomError()) }.error())
        #expect(own.reportedError(for: nil) is CustomError)
        let late = try await run("late") { stub in
            stub.respond()
            stub.load("part")
            stub.fail(URLError(.networkConnectionLost))
        }
        #expect(late.now.body == Data("part".utf8))
        #expect(try await late.error()?.urlError.code == .networkConnectionLost)
        let nothing = try await run("nothing") { $0.finish() }
        guard case .malformed = try await nothing.error() else { return #expect(Bool(false)) }
        let foreign = try await run("foreign") { stub in
            guard let url = stub.request.url else { return }
            let response = URLResponse(
                url: url, mimeType: nil, expectedContentLength: 1, textEncodingName: nil)
            stub.client?.urlProtocol(stub, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        guard case .malformed = try await foreign.error() else { return #expect(Bool(false)) }
    }

    @Test("Suspended transfers do not begin, deliver nothing and exceed no limit; a cancel ends them")
    func suspension() async throws {
        let answers = Mutex<[@Sendable () -> Void]>([])
        for name in ["running", "later", "cancelled"] {
            scripts.withLock { scripts in
                scripts["suspended-\(name).test"] = { stub in
                    nonisolated(unsafe) let stub = stub  // It has no state.
                    stub.respond()
                    stub.load("part")
                    answers.withLock { $0.append { stub.finish() } }
                }
            }
        }
        let transport = URLProtocolTransport([ScriptedProtocol.self], over: base)
        let unit = Duration.milliseconds(800 * ProcessStatus.slowness)
        func start(_ name: String) throws -> (task: any TransportTask, handler: Recorder) {
            let handler = Recorder()
            let url = try #require(URL(string: "http://suspended-\(name).test/x"))
            let request = request(url) { request in
                (request.limits.idle, request.limits.total) = (unit * 0.75, unit)
            }
            return (transport.start(request, handler: handler), handler)
        }
        let first = try start("running")
        #expect(await poll { first.handler.bytesTaken == 4 && answers.withLock(\.count) == 1 })
        transport.isSuspended = true
        let (later, cancelled) = (try start("later"), try start("cancelled"))
        cancelled.task.cancel()
        #expect(try await cancelled.handler.error() == .cancelled)
        for end in answers.withLock(\.self) { end() }
        let early = await poll(upTo: unit * 1.5) {
            first.handler.isFinished || later.handler.now.head != nil
        }
        #expect(!early && log.withLock { $0["suspended-later.test"] } == nil)
        transport.isSuspended = false
        _ = try await first.handler.result().get()
        #expect(await poll { answers.withLock(\.count) == 2 })
        for end in answers.withLock(\.self).suffix(1) { end() }
        _ = try await later.handler.result().get()
        #expect(log.withLock { $0["suspended-cancelled.test"] }?.contains("stop") != true)
    }

    @Test func limitsEndTransfers() async throws {
        var limits = TransportLimits()
        limits.maxBodyBytes = 5
        let large = try await run("large", limits: limits) { stub in
            stub.respond()
            stub.load("123")
            stub.load("456")
            stub.finish()
        }
        #expect(try await large.error() == .bodyTooLarge(limit: 5))
        limits.idle = .milliseconds(30)
        #expect(try await run("silent", limits: limits) { $0.respond() }.error() == .timedOut(.idle))
        limits.idle = .seconds(10)
        limits.total = .milliseconds(30)
        #expect(try await run("slow", limits: limits) { $0.respond() }.error() == .timedOut(.total))
    }

    /// The response is complete, but the handler never decides about its head.
    @Test func totalLimitHoldsForAHandlerThatNeverDecides() async throws {
        var limits = TransportLimits()
        limits.total = .milliseconds(30)
        let handler = Recorder(onHead: { _, _ in .wait })
        let done = try await run("undecided", handler: handler, limits: limits) { stub in
            stub.respond()
            stub.load("all")
            stub.finish()
        }
        #expect(try await done.error() == .timedOut(.total))
        #expect(done.now.head != nil && done.now.body.isEmpty)
    }

    @Test func deadlineOfAnIntake() throws {
        let start = ContinuousClock.now
        var limits = TransportLimits()
        (limits.idle, limits.total) = (.seconds(5), .seconds(20))
        var intake = URLProtocolIntake(limits, at: start)
        func left(_ seconds: Double) -> Duration? {
            intake.deadline(at: start + .seconds(seconds)).map { $0.time - start }
        }
        #expect(left(1) == .seconds(5))
        intake.setPaused(true, at: start + .seconds(1))
        #expect(left(4) == .seconds(9), "idle time does not count while the handler pauses the transfer")
        #expect(left(18) == .seconds(20))
        intake.setPaused(false, at: start + .seconds(6))
        #expect(left(7) == .seconds(11))
        let url = try #require(URL(string: "http://a.test/"))
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        intake.take(try #require(response), at: start + .seconds(7))
        intake.finish()
        #expect(left(8) == .seconds(20))
        _ = intake.nextStep(at: start + .seconds(8))
        _ = intake.nextStep(at: start + .seconds(8))
        #expect(intake.isOver && left(9) == nil)
    }

    @Test func pausesAndCancellations() async throws {
        let held = Recorder(onHead: { task, _ in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { task.resume() }
            return .wait
        })
        #expect(
            try await run("held", handler: held) { stub in
                stub.respond()
                stub.load("body")
                stub.finish()
            }.now.body == Data("body".utf8))

        let refusals = Atomic(3)
        let piecewise = Recorder(onBody: { task, _ in
            guard refusals.load(ordering: .relaxed) > 0 else { return true }
            refusals.subtract(1, ordering: .relaxed)
            task.resume()
            return false
        })
        #expect(
            try await run("piecewise", handler: piecewise) { stub in
                stub.respond()
                stub.load("a")
                stub.load("b")
                stub.finish()
            }.now.body == Data("ab".utf8))

        let cancelling = Recorder(onHead: { _, _ in .cancel })
        #expect(try await run("cancelling", handler: cancelling) { $0.respond() }.error() == .cancelled)

        let waiting = Recorder(onHead: { _, _ in .wait })
        #expect(
            try await run("waiting", handler: waiting) { stub in
                stub.respond()
                stub.fail(URLError(.timedOut))
            }.error()?.urlError.code == .timedOut, "a failure is reported immediately")
    }

    @Test func protocolThatNeverEndsIsCancelled() async throws {
        let late = Mutex<[@Sendable () -> Void]>([])
        scripts.withLock { table in
            table["never.test"] = { stub in
                nonisolated(unsafe) let stub = stub
                late.withLock { $0.append({ stub.respond() }) }
                late.withLock { $0.append({ stub.finish() }) }
            }
        }
        let transport = URLProtocolTransport([ScriptedProtocol.self], over: base)
        let url = try #require(URL(string: "http://never.test/x"))
        let (first, second, third) = (Recorder(), Recorder(), Recorder())
        let task = transport.start(TransportRequest(URLRequest(url: url)), handler: first)
        _ = transport.start(TransportRequest(URLRequest(url: url)), handler: second)
        task.cancel()
        task.cancel()
        #expect(try await first.error() == .cancelled)
        transport.invalidate()
        #expect(try await second.error() == .cancelled)
        _ = transport.start(TransportRequest(URLRequest(url: url)), handler: third)
        #expect(try await third.error() == .cancelled)
        for report in late.withLock({ $0 }) { report() }
        #expect(first.now.head == nil)
    }

    @Test func redirectsOfProtocolsAreChecked() async throws {
        let seen = Mutex<[String]>([])
        scripts.withLock { table in
            table["from.test"] = { stub in
                guard let url = stub.request.url, let target = URL(string: stub.request.url?.query ?? ""),
                    let response = HTTPURLResponse(
                        url: url, statusCode: 307, httpVersion: nil, headerFields: nil)
                else { return }
                stub.client?.urlProtocol(
                    stub, wasRedirectedTo: URLRequest(url: target), redirectResponse: response)
            }
            table["to.test"] = { stub in
                seen.withLock { $0.append(stub.request.value(forHTTPHeaderField: "Authorization") ?? "-") }
                stub.respond()
                stub.load("moved")
                stub.finish()
            }
        }
        let fetch = HTTPFetch(URLProtocolTransport([ScriptedProtocol.self], over: base))
        func follow(_ target: String) async throws -> Recorder {
            var request = URLRequest(url: try #require(URL(string: "http://from.test/x?\(target)")))
            request.setValue("secret", forHTTPHeaderField: "Authorization")
            return try await fetch.run(TransportRequest(request))
        }
        let moved = try await follow("http://to.test/y")
        #expect(moved.now.body == Data("moved".utf8))
        #expect(try moved.now.result?.get().redirectCount == 1)
        #expect(seen.withLock { $0 } == ["-"])
        guard case .redirectRefused = try await follow("file:///etc/passwd").error() else {
            return #expect(Bool(false))
        }
    }
}
