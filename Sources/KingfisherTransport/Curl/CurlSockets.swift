import CCurl

/// Which socket a connection has, by its local port: libcurl tells the ports of a connection that it uses
/// again, but not the socket. On the loop's thread.
final class CurlSockets {
    /// Forgotten ones count as silent.
    private static let capacity = 1_024

    private var sockets: [Int: CInt] = [:]

    /// Notes the connection that came of the sockets opened for it.
    func note(_ opened: [CInt], port: Int) {
        guard let socket = opened.first(where: { kf_socket_port($0) == port }) else { return }
        if sockets.count >= Self.capacity { sockets.removeAll() }
        sockets[port] = socket
    }

    /// How long not a byte has arrived; nil where that is not known. The socket may have been closed, and its
    /// number be another's by now.
    func silence(port: Int) -> Duration? {
        guard let socket = sockets[port], kf_socket_port(socket) == port else { return nil }
        let milliseconds = kf_socket_silence(socket)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }
}
