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
        /// By port. The end of the last transfer of a port removes its entry.
        var bodies: [Int: ExpectedBodies] = [:]
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

    /// Changes the largest size of a transfer's body; nil before and after its exchange.
    func expect(_ size: Int?, insteadOf former: Int?, port: Int) {
        state.withLock { state in
            var bodies = state.bodies[port] ?? ExpectedBodies()
            bodies.expect(size, insteadOf: former)
            state.bodies[port] = bodies.isEmpty ? nil : bodies
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
    func endFlood(call: Int, delivered: Int, isPaused: Bool, _ meter: inout FloodMeter) {
        state.withLock { state in
            var (read, kept): ([CInt: Int], [CInt: Int]) = ([:], [:])
            for (socket, port) in state.ports {
                read[socket] = kf_socket_bytes_read(socket)
                kept[socket] = state.bodies[port]?.keptBytes(isPaused: isPaused)
            }
            guard let socket = meter.take(call: call, delivered: delivered, read: read, kept: kept) else {
                return
            }
            shutdown(socket, Int32(SHUT_RDWR))
            if let port = state.ports[socket] { state.floods.insert(port) }
        }
    }
}

/// The transfers of a connection, and the largest total size of their bodies: a value.
struct ExpectedBodies {
    private var transfers = 0
    private var bytes = 0

    var isEmpty: Bool { transfers == 0 }

    mutating func expect(_ size: Int?, insteadOf former: Int?) {
        transfers += (size == nil ? 0 : 1) - (former == nil ? 0 : 1)
        bytes += (size ?? 0) - (former ?? 0)
    }

    /// The bytes of bodies that libcurl may keep. It delivers the bodies of an HTTP/2 connection to one
    /// transfer after another, and keeps what it reads for the others and for paused ones.
    func keptBytes(isPaused: Bool) -> Int {
        transfers > 1 || isPaused ? min(bytes, FloodMeter.maxKeptBytes) : 0
    }
}
