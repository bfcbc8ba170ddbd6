import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

/// What one host may take of a queue that all hosts share.
@Suite struct FairQueueTests {
    private let stub = StubTransport { _ in .ok(Data()) }

    private func queue(perHost: Int) -> QueuedTransport {
        stub.hold()
        var limits = QueuedTransport.Limits()
        limits.perHost = perHost
        return QueuedTransport(stub, limits: limits)
    }

    private func start(
        _ text: String, on queue: QueuedTransport, _ change: (inout TransportRequest) -> Void = { _ in }
    ) throws -> Recorder {
        let handler = Recorder()
        var request = request(try #require(URL(string: text)), change)
        // The stub sends nothing until it is released.
        request.limits.minimumRate = nil
        _ = queue.start(request, handler: handler)
        return handler
    }

    @Test(
        "All spellings of a host share its slots; schemes and ports have their own",
        arguments: [
            ["127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "127.0.0.1.", "[::ffff:127.0.0.1]"],
            ["10.0.20.255", "012.0.20.255", "10.0.024.255", "10.0.5375", "10.0.20.255."],
            ["a.test", "a.test.", "A.TEST", "%61.test"],
            ["[::1]", "[0:0::1]", "[0:0:0:0:0:0:0:1]"],
        ])
    func spellings(hosts: [String]) throws {
        let queue = queue(perHost: 1)
        for host in hosts { _ = try start("http://\(host)/", on: queue) }
        #expect(stub.requests.count == 1 && queue.waitingTransfers == hosts.count - 1)
        for url in ["https://\(hosts[0])/", "http://\(hosts[0]):81/"] { _ = try start(url, on: queue) }
        #expect(stub.requests.count == 3)
        queue.invalidate()
    }

    @Test("Names that only look like numbers, and names with two dots at the end, are separate hosts")
    func otherHosts() throws {
        let queue = queue(perHost: 1)
        let hosts = ["a.3com", "a.test", "1.2.3.4.5", "1.2.3.256", "0x7g.1", "a.test..", "1.2.3.4"]
        for host in hosts { _ = try start("http://\(host)/", on: queue) }
        #expect(stub.requests.count == hosts.count)
        queue.invalidate()
    }

    @Test("With .publicOnly all ports of a host share four times its slots")
    func ports() throws {
        let queue = queue(perHost: 2)
        for port in 1...20 {
            _ = try start("http://a.test:\(port)/", on: queue) { $0.addressPolicy = .publicOnly }
        }
        #expect(stub.requests.count == 8 && queue.waitingTransfers == 12)
        for port in 1...20 { _ = try start("http://b.test:\(port)/", on: queue) }
        #expect(stub.requests.count == 28, "without a policy there is no such limit")
        queue.invalidate()
    }

    @Test("If too many transfers of a host wait, one more fails at once, and other hosts are served")
    func waitLimit() async throws {
        let queue = queue(perHost: 2)
        func limited(_ text: String) throws -> Recorder { try start(text, on: queue) { $0.waitLimit = 40 } }
        let waiting = try (1...12).map { try limited("http://dead.test/\($0)") }
        let refused = try limited("http://dead.test/13")
        #expect(try await refused.error() == .queueFull(waiting: 10))
        #expect(waiting.allSatisfy { !$0.isFinished })
        _ = try limited("http://other.test/")
        #expect(stub.requests.last?.url?.host == "other.test")
        // Without a limit, and when another one has left the queue, it waits.
        _ = try start("http://dead.test/14", on: queue)
        #expect(queue.waitingTransfers == 11)
        stub.release()
        for handler in waiting { _ = try await handler.result().get() }
        _ = try await limited("http://dead.test/15").result().get()
    }
}
