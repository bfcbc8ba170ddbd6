import CSSL
import Foundation
import Glibc
import KingfisherTransport
import Synchronization

/// OpenSSL's settings for a server.
///
/// `@unchecked Sendable`: it is set up before it is shared, and OpenSSL's reference counting is thread-safe.
final class TLSServerContext: @unchecked Sendable {
    fileprivate let pointer: OpaquePointer
    fileprivate let handshake: ServerTLS.Handshake

    init(_ tls: ServerTLS, offersHTTP2: Bool = false) throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw Self.failure("no context") }
        (pointer, handshake) = (context, tls.handshake)
        let newest = tls.maximumVersion == .tls13 ? TLS1_3_VERSION : TLS1_2_VERSION
        guard kf_ssl_set_versions(context, TLS1_2_VERSION, newest) != 0,
            SSL_CTX_use_certificate_chain_file(context, tls.certificate.path) == 1,
            SSL_CTX_use_PrivateKey_file(context, tls.privateKey.path, SSL_FILETYPE_PEM) == 1
        else { throw Self.failure(tls.certificate.lastPathComponent) }
        if offersHTTP2 { kf_ssl_speak_http_2(context) } else { kf_ssl_speak_http_1_1(context) }
        guard let authority = tls.clientAuthority else { return }
        guard SSL_CTX_load_verify_locations(context, authority.path, nil) == 1 else {
            throw Self.failure(authority.lastPathComponent)
        }
        let refusal = tls.requiresClientCertificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | refusal, nil)
        // Without a context, sessions with client certificates cannot be resumed.
        SSL_CTX_set_session_id_context(context, "kf", 2)
    }

    deinit { SSL_CTX_free(pointer) }

    private static func failure(_ text: String) -> ServerTLS.Failure {
        var reason = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(ERR_get_error(), &reason, reason.count)
        let bytes = reason.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
        return ServerTLS.Failure(description: "\(text): \(String(decoding: bytes, as: UTF8.self))")
    }
}

/// TLS on one connection.
///
/// `@unchecked Sendable`: used only on the connection's thread.
final class TLSServerSession: @unchecked Sendable {
    private let context: TLSServerContext
    private let descriptor: Int32
    private var session: OpaquePointer?
    private var isOpen = false

    init(_ context: TLSServerContext, _ descriptor: Int32) {
        self.context = context
        self.descriptor = descriptor
    }

    deinit { SSL_free(session) }

    /// Performs the handshake. Returns `false` if it fails, also if that is intended.
    func shakeHands() -> Bool {
        blockBrokenPipe()
        switch context.handshake {
        case .complete:
            session = SSL_new(context.pointer)
            SSL_set_fd(session, descriptor)
            guard SSL_accept(session) == 1 else {
                // Read the remaining data: closing with unread data would reset the connection before the
                // client has received the alert.
                shutdown(descriptor, Int32(SHUT_WR))
                while takeBytes() {}
                return false
            }
            isOpen = true
            return true
        case .reset:
            takeBytes()
            SocketReset.prepare(descriptor)
        case .hang:
            while takeBytes() {}
        case .plainText:
            takeBytes()
            let response = ServerResponse.head(400) + Data("plain HTTP\n".utf8)
            _ = response.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
        }
        return false
    }

    func receive(into buffer: inout [UInt8]) -> Int {
        isOpen ? Int(SSL_read(session, &buffer, Int32(buffer.count))) : 0
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard isOpen else { return 0 }
        return Int(SSL_write(session, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    var clientName: String? {
        var name = [CChar](repeating: 0, count: 256)
        guard isOpen, kf_ssl_peer_name(session, &name, Int32(name.count)) >= 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Sends close_notify. Without it, clients treat the end of a body of unknown length as truncation.
    func end() {
        if isOpen { SSL_shutdown(session) }
        isOpen = false
    }

    func forget() { isOpen = false }

    @discardableResult
    private func takeBytes() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4 << 10)
        return recv(descriptor, &buffer, buffer.count, 0) > 0
    }

    /// OpenSSL writes without MSG_NOSIGNAL, so a lost connection would raise SIGPIPE.
    private func blockBrokenPipe() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
