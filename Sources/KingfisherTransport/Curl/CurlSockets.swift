import CCurl

/// The sockets of connections, by local port. libcurl reports the ports of a reused connection, but not its
/// socket. Used only on the loop's thread.
final class CurlSockets {
    private static let capacity = 1_024

    private var sockets: [Int: CInt] = [:]

    func note(_ opened: [CInt], port: Int) {
        guard let socket = opened.first(where: { kf_socket_port($0) == port }) else { return }
        if sockets.count >= Self.capacity { sockets.removeAll() }
        sockets[port] = socket
    }

    /// The time since the last byte arrived; nil if it is unknown. The socket may have been closed and its
    /// descriptor reused.
    func idleTime(port: Int) -> Duration? {
        guard let socket = sockets[port], kf_socket_port(socket) == port else { return nil }
        let milliseconds = kf_socket_idle_time(socket)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }
}
