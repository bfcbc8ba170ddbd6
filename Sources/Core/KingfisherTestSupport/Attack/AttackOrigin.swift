public import Foundation
import Synchronization

/// An HTTP server for tests of limits, whose responses use up time, bytes or memory of the client without
/// end.
///
/// One thread serves all connections, so hundreds of them hardly affect measurements. It listens on several
/// addresses of the loopback interface, which clients treat as different hosts. It stops on `stop()` or when
/// it is released.
///
///     let origin = try AttackOrigin(hosts: 58) { _ in .dripping(every: .milliseconds(100)) }
///     defer { origin.stop() }
public final class AttackOrigin: Sendable {
    /// Returns the response for a path with its query. Called on the server's thread.
    public typealias Handler = @Sendable (_ target: String) -> AttackResponse

    private let ports: [UInt16]
    private let traffic = AttackTraffic()
    private let threads = DispatchGroup()

    /// - Parameter hosts: The number of addresses to listen on, at most 250.
    /// - Throws: `POSIXError` if a socket cannot be opened.
    public init(hosts: Int = 1, _ handler: @escaping Handler) throws {
        var listeners: [Int32] = []
        var ports: [UInt16] = []
        do {
            for host in 0..<max(1, min(hosts, 250)) {
                let (descriptor, port) = try ListeningSocket.open(ipv6: false, host: Self.address(host))
                listeners.append(descriptor)
                ports.append(port)
            }
        } catch {
            for listener in listeners { close(listener) }
            throw error
        }
        self.ports = ports
        let loop = AttackLoop(listeners: listeners, traffic: traffic, handler)
        threads.enter()
        let thread = Thread { [threads] in
            loop.run()
            threads.leave()
        }
        thread.stackSize = 256 << 10
        thread.start()
    }

    deinit { stop() }

    /// The URL `http://127.0.0.N:PORT` of a host, counted from 0, with a path and an optional query.
    public func url(_ path: String, host: Int = 0) -> URL {
        let text = "http://\(Self.text(of: Self.address(host))):\(ports[host % ports.count])\(path)"
        return URL(string: text) ?? URL(filePath: path)
    }

    /// The number of requests received.
    public var requestCount: Int { traffic.count.withLock { $0.requests } }

    /// The number of complete responses.
    public var completedCount: Int { traffic.count.withLock { $0.completed } }

    /// The number of connections with an incomplete response.
    public var openTransfers: Int { traffic.count.withLock { $0.open } }

    /// Closes all sockets and waits for the thread to end. Further calls have no effect.
    public func stop() {
        traffic.count.withLock { $0.isStopping = true }
        threads.wait()
    }

    /// 127.0.0.2 for host 0, because 127.0.0.1 is reserved for servers under test.
    private static func address(_ host: Int) -> UInt32 { 0x7f00_0002 + UInt32(host) }

    private static func text(of address: UInt32) -> String {
        [24, 16, 8, 0].map { "\((address >> $0) & 0xff)" }.joined(separator: ".")
    }
}

final class AttackTraffic: Sendable {
    struct Count {
        var requests = 0
        var completed = 0
        var open = 0
        var isStopping = false
    }

    let count = Mutex(Count())
}
