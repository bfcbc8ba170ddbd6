import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// Requests on connections that the server ends at the moment at which they are reused.
@Suite struct StaleConnectionTests {
    enum Moment: CaseIterable {
        case afterResponse, soonAfterResponse, onRequest, afterRequest

        /// - Parameter count: The number of requests on the connection so far, with this one.
        func response(to request: ServerRequest, count: Int, end: ServerResponse.Step) -> ServerResponse {
            let response = ServerResponse.ok(Data(request.path.utf8))
            switch self {
            case .afterResponse: return response.then(end)
            case .soonAfterResponse: return response.then(.pause(.milliseconds(1))).then(end)
            case .onRequest: return count > 1 ? ServerResponse([end]) : response
            case .afterRequest: return count > 1 ? ServerResponse([.pause(.milliseconds(5)), end]) : response
            }
        }
    }

    enum Ending: CaseIterable {
        case close, reset

        var step: ServerResponse.Step { self == .close ? .close : .reset }
    }

    /// Numbers the requests of each connection.
    private final class Counter: Sendable {
        private let counts = Mutex<[Int: Int]>([:])

        func next(_ request: ServerRequest) -> Int {
            counts.withLock { counts in
                counts[request.connection, default: 0] += 1
                return counts[request.connection, default: 0]
            }
        }
    }

    @Test(
        "50 requests succeed, and none that was answered is sent again",
        arguments: Moment.allCases, Ending.allCases)
    func staleConnections(_ moment: Moment, _ ending: Ending) async throws {
        let counter = Counter()
        let answered = Mutex<[String]>([])
        let server = try LoopbackServer { request in
            let response = moment.response(to: request, count: counter.next(request), end: ending.step)
            if case .send = response.steps[0] { answered.withLock { $0.append(request.path) } }
            return response
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let paths = (0..<50).map { "/\($0)" }
        for path in paths {
            let handler = Recorder()
            _ = transport.start(request(server.url(path)), handler: handler)
            _ = try await handler.result()
            #expect(handler.now.body == Data(path.utf8), "\(path): \(String(describing: handler.now.result))")
        }
        #expect(answered.withLock { $0 } == paths)
    }

    /// libcurl counts whole lines only.
    @Test("A request whose response has begun is not sent again", arguments: Ending.allCases)
    func begunResponse(_ ending: Ending) async throws {
        let counter = Counter()
        let server = try LoopbackServer { request in
            counter.next(request) > 1
                ? ServerResponse([.send(Data("HTTP/1.1 200 OK\r\n".utf8)), ending.step])
                : .ok(Data("first".utf8))
        }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        for path in ["/first", "/second"] {
            let handler = Recorder()
            _ = transport.start(request(server.url(path)), handler: handler)
            #expect(try await (handler.error() == nil) == (path == "/first"))
        }
        #expect(server.requestCount() == 2)
    }
}
