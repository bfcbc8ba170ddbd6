import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Testing

/// The stub fulfils the contract of a transport.
@Suite struct StubTransportTests {
    private func url(_ path: String) throws -> URL { try #require(URL(string: "http://stub.test" + path)) }

    @Test func bodyArrivesInPieces() async throws {
        var answer = StubAnswer.ok(bytes(10_000))
        answer.pieceSize = 3_000
        let stub = StubTransport([try url("/a"): answer])
        let handler = Recorder()
        _ = stub.start(request(try url("/a")), handler: handler)
        #expect(try await handler.result().get().bytesDecoded == 10_000)
        #expect(handler.now.body == bytes(10_000) && handler.now.pieces == 4)
        let missing = Recorder()
        _ = stub.start(request(try url("/b")), handler: missing)
        _ = try await missing.result().get()
        #expect(missing.now.head?.statusCode == 404)
        #expect(stub.requests.map(\.url?.path) == ["/a", "/b"])
    }

    @Test func heldRequestsWaitForTheRelease() async throws {
        let stub = StubTransport { _ in .ok(Data("x".utf8)) }
        stub.hold()
        let (held, cancelled) = (Recorder(), Recorder())
        _ = stub.start(request(try url("/a")), handler: held)
        stub.start(request(try url("/b")), handler: cancelled).cancel()
        #expect(try await cancelled.error() == .cancelled)
        #expect(!held.isFinished && held.now.head == nil && stub.liveTransfers == 1)
        stub.release()
        _ = try await held.result().get()
        #expect(stub.liveTransfers == 0)
    }

    @Test func handlerPausesAndCancels() async throws {
        let stub = StubTransport { _ in .ok(bytes(100_000)) }
        let waiting = Recorder(onHead: { _, _ in .wait })
        let task = stub.start(request(try url("/a")), handler: waiting)
        #expect(await poll { waiting.now.head != nil })
        #expect(waiting.bytesTaken == 0)
        task.resume()
        _ = try await waiting.result().get()
        let inside = Recorder(onBody: { task, _ in
            task.cancel()
            return true
        })
        _ = stub.start(request(try url("/a")), handler: inside)
        #expect(try await inside.error() == .cancelled)
        #expect(inside.now.pieces == 1)
    }

    @Test func failuresComeBeforeOrAfterABody() async throws {
        var late = StubAnswer.ok(bytes(10))
        late.error = .truncated("as asked")
        let stub = StubTransport([try url("/early"): .failure(.connect("as asked")), try url("/late"): late])
        let (early, failing) = (Recorder(), Recorder())
        _ = stub.start(request(try url("/early")), handler: early)
        _ = stub.start(request(try url("/late")), handler: failing)
        #expect(try await early.error() == .connect("as asked"))
        #expect(early.now.head == nil)
        #expect(try await failing.error() == .truncated("as asked"))
        #expect(failing.now.body == bytes(10))
    }
}
