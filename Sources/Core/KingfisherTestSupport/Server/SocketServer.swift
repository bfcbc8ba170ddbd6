import Foundation
import Synchronization

/// Accepts connections on a free port of the loopback interface and serves each on a dedicated thread.
///
/// It runs until `stop()`.
final class SocketServer: Sendable {
    /// Serves a connection until it ends. The server closes the socket afterwards.
    typealias Service = @Sendable (Int32) -> Void

    private struct State {
        var accepted = 0
        var isStopping = false
        var open: Set<Int32> = []
    }

    let port: UInt16
    private let listener: Int32
    private let threads = DispatchGroup()
    private let state = Mutex(State())

    init(_ service: @escaping Service) throws {
        (listener, port) = try ListeningSocket.open(ipv6: false)
        AcceptLoop(listener: listener, threads: threads).start { [self] in accept($0, service) }
    }

    /// The number of connections accepted so far.
    var acceptedConnections: Int { state.withLock(\.accepted) }

    /// Shuts down every connection and waits for the threads to end. Must not be called by the service.
    func stop() {
        let isFirst = state.withLock { state in
            defer { state.isStopping = true }
            // Under the lock, so that no descriptor is closed and reused concurrently.
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
            return !state.isStopping
        }
        if isFirst { shutdown(listener, Int32(SHUT_RDWR)) }
        threads.wait()
    }

    private func accept(_ descriptor: Int32, _ service: @escaping Service) -> Bool {
        let isAccepted = state.withLock { state in
            guard !state.isStopping else { return false }
            state.accepted += 1
            state.open.insert(descriptor)
            return true
        }
        guard isAccepted else {
            close(descriptor)
            return false
        }
        threads.enter()
        let thread = Thread { [self] in
            service(descriptor)
            state.withLock { state in
                state.open.remove(descriptor)
                _ = close(descriptor)
            }
            threads.leave()
        }
        thread.stackSize = 256 << 10
        thread.start()
        return true
    }
}
