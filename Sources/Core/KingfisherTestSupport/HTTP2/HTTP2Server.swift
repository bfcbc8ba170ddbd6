package import Foundation

/// An HTTP/2 server for tests over TLS, on a free port of the loopback interface.
///
/// A script serves each connection on a dedicated thread: it reads requests and sends frames, in any order
/// and also wrong ones. The connection is closed when the script returns. The server runs until `stop()`.
package final class HTTP2Server: Sendable {
    package typealias Script = @Sendable (HTTP2Connection) -> Void

    private let server: SocketServer

    package init(_ script: @escaping Script) throws {
        let tls = try TLSServerContext(ServerTLS(), offersHTTP2: true)
        server = try SocketServer { descriptor in
            let connection = HTTP2Connection(descriptor, TLSServerSession(tls, descriptor))
            if connection.begin() { script(connection) }
            connection.close()
        }
    }

    package var port: UInt16 { server.port }

    package func url(_ path: String = "/") -> URL {
        URL(string: "https://127.0.0.1:\(port)\(path)") ?? URL(filePath: path)
    }

    /// The number of connections accepted so far.
    package var acceptedConnections: Int { server.acceptedConnections }

    /// Closes every connection and waits for the server's threads to end. Must not be called from a script.
    package func stop() { server.stop() }
}
