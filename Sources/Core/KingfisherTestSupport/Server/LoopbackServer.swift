public import Foundation
import Synchronization

/// An HTTP/1.1 server for tests, on a free port of the loopback interface, that can violate the protocol.
///
/// A closure returns the response to each request as a script (``ServerResponse``). It runs on a dedicated
/// thread of each connection, and the number of connections is bounded. The server stops on `stop()` or when
/// it is released.
///
///     let server = try LoopbackServer { request in
///         request.path == "/photo.jpg" ? .ok(data) : .status(404)
///     }
///     defer { server.stop() }
public final class LoopbackServer: Sendable {
    /// Returns the response to a request. Called on the connection's thread.
    public typealias Handler = @Sendable (ServerRequest) -> ServerResponse

    private struct State {
        var requests: [ServerRequest] = []
        var connections: [Int: ServerConnection] = [:]
        var accepted = 0
        var isStopping = false
    }

    /// The port assigned by the system.
    public let port: UInt16
    private let listener: Int32
    private let origin: (scheme: String, host: String)
    private let tls: TLSServerContext?
    private let maxConnections: Int
    private let greeting: ServerResponse
    private let keepsRequests: Bool
    private let handler: Handler
    private let threads = DispatchGroup()
    private let state = Mutex(State())

    /// - Parameters:
    ///   - ipv6: Whether to listen on `::1` instead of `127.0.0.1`.
    ///   - tls: If not nil, uses https with this certificate.
    ///   - maxConnections: The maximum number of open connections; others wait to be accepted.
    ///   - keepsRequests: Whether ``requests`` stores requests; set it to false for a long-running server.
    ///   - greeting: Performed on every connection before its first request is read.
    /// - Throws: `POSIXError` if no socket can be opened, for example if the machine has no IPv6;
    ///   `ServerTLS.Failure` if certificate and key cannot be used.
    public init(
        ipv6: Bool = false, tls: ServerTLS? = nil, maxConnections: Int = 256, keepsRequests: Bool = true,
        greeting: ServerResponse = ServerResponse([]), _ handler: @escaping Handler
    ) throws {
        self.tls = try tls.map { try TLSServerContext($0) }
        (listener, port) = try ListeningSocket.open(ipv6: ipv6)
        origin = (tls == nil ? "http" : "https", ipv6 ? "[::1]" : "127.0.0.1")
        self.maxConnections = maxConnections
        self.keepsRequests = keepsRequests
        self.greeting = greeting
        self.handler = handler
        let loop = AcceptLoop(listener: listener, threads: threads)
        loop.start { [weak self] descriptor in self?.accept(descriptor) ?? false }
    }

    deinit { stop() }

    /// The URL `http://127.0.0.1:PORT`, or https with TLS, with a path and an optional query.
    ///
    /// - Parameter host: Another name of this machine, such as `localhost`.
    public func url(_ path: String = "/", host: String? = nil) -> URL {
        let start = "\(origin.scheme)://\(host ?? origin.host):\(port)"
        let text = start + (path.hasPrefix("/") ? path : "/" + path)
        return URL(string: text) ?? URL(filePath: path)
    }

    // MARK: Requests and connections

    /// All requests so far, in order of arrival.
    public var requests: [ServerRequest] { state.withLock { $0.requests } }

    /// The number of requests for a path, or of all requests.
    public func requestCount(_ path: String? = nil) -> Int {
        state.withLock { state in
            path.map { path in state.requests.count { $0.path == path } } ?? state.requests.count
        }
    }

    /// The number of connections accepted so far.
    public var acceptedConnections: Int { state.withLock { $0.accepted } }

    /// The number of open connections.
    public var openConnections: Int { state.withLock { $0.connections.count } }

    /// Waits, without blocking a thread, until a condition holds. Returns `false` if it does not hold within
    /// the time limit.
    public func wait(
        upTo limit: Duration = .seconds(10), until condition: (LoopbackServer) -> Bool
    ) async -> Bool {
        await poll(upTo: limit) { condition(self) }
    }

    // MARK: Stopping

    /// Closes every connection and waits for the server's threads to end. Further calls have no effect.
    ///
    /// Must not be called from the handler closure.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            return !state.isStopping
        }
        guard isFirst else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in state.withLock({ Array($0.connections.values) }) { connection.interrupt() }
        threads.wait()
    }

    private func accept(_ descriptor: Int32) -> Bool {
        let connection: ServerConnection? = state.withLock { state in
            guard !state.isStopping else { return nil }
            state.accepted += 1
            let connection = ServerConnection(descriptor, id: state.accepted, tls: tls)
            state.connections[connection.id] = connection
            return connection
        }
        guard let connection else {
            close(descriptor)
            return false
        }
        threads.enter()
        let thread = Thread { [threads, keepsRequests, greeting, handler, weak self] in
            var isOpen = connection.shakeHands() && connection.play(greeting)
            while isOpen, let request = connection.nextRequest() {
                if keepsRequests { self?.state.withLock { $0.requests.append(request) } }
                isOpen = connection.play(handler(request))
            }
            connection.close()
            self?.state.withLock { $0.connections[connection.id] = nil }
            threads.leave()
        }
        thread.stackSize = 256 << 10
        thread.start()
        while state.withLock({ $0.connections.count >= maxConnections && !$0.isStopping }) { usleep(2_000) }
        return true
    }
}
