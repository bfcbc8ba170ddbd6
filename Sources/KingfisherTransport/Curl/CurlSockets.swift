import CCurl
import Glibc
import Synchronization

/// The sockets of open connections and their local ports. libcurl reports the ports of a reused connection,
/// but not its socket.
///
/// The loop's thread adds and closes sockets, the thread of ``FloodWatch`` shuts them down, both under the
/// lock: otherwise a descriptor could have been closed and be another file's. No lock is taken under it.
final class CurlSockets: Sendable {
    private struct State {
        var ports: [CInt: Int] = [:]
        /// The ports of connections that were shut down.
        var floods: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Adds the socket of a connection that is established. Not earlier: libcurl 7.88 closes a socket whose
    /// address lost the race against another one without the callback.
    func note(_ opened: [CInt], port: Int) {
        guard let socket = opened.first(where: { kf_socket_port($0) == port }) else { return }
        state.withLock { state in
            state.ports[socket] = port
            state.floods.remove(port)
        }
    }

    func close(_ socket: CInt) -> CInt {
        state.withLock { state in
            state.ports[socket] = nil
            return Glibc.close(socket)
        }
    }

    /// The time since the last byte arrived; nil if it is unknown.
    func idleTime(port: Int) -> Duration? {
        state.withLock { state in
            guard let socket = state.ports.first(where: { $0.value == port })?.key else { return nil }
            let milliseconds = kf_socket_idle_time(socket)
            return milliseconds < 0 ? nil : .milliseconds(milliseconds)
        }
    }

    /// Whether the connection was shut down because of a flood.
    func isFlood(port: Int) -> Bool { state.withLock { $0.floods.contains(port) } }

    /// Takes a reading of the meter, and shuts down the connection that it finds.
    func endFlood(call: Int, delivered: Int, _ meter: inout FloodMeter) {
        state.withLock { state in
            var read: [CInt: Int] = [:]
            for socket in state.ports.keys { read[socket] = kf_socket_bytes_read(socket) }
            guard let socket = meter.take(call: call, delivered: delivered, read: read) else { return }
            shutdown(socket, Int32(SHUT_RDWR))
            if let port = state.ports[socket] { state.floods.insert(port) }
        }
    }
}
