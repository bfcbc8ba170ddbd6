import CCurl

extension TransportError {
    /// The error for a libcurl code.
    ///
    /// - Parameters:
    ///   - text: The content of libcurl's error buffer; may be empty.
    ///   - host: The host of the connection.
    ///   - verification: OpenSSL's verification result for the server's certificate; 0 if it found no fault.
    ///   - hasResponse: Whether a response head was delivered; some codes have another meaning before it.
    init(
        _ code: CURLcode, message text: String, limits: TransportLimits, host: String,
        verification: Int = 0, hasResponse: Bool
    ) {
        let text = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
        if let refusal = Self.clientCertificateRefusal(code, text) {
            self = refusal
            return
        }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .resolve(text)
        // A SOCKS proxy that refuses the request, or that speaks something else.
        case CURLE_COULDNT_CONNECT, CURLE_PROXY: self = .connect(text)
        // The code of libcurl 8.23 for the key of a client's certificate.
        case CURLE_BAD_FUNCTION_ARGUMENT where text.contains("private key"): self = .tls("\(host): \(text)")
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT: self = .invalidRequest(text)
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut(hasResponse ? .idle : .connect)
        case CURLE_PARTIAL_FILE: self = .truncated(text)
        // Only the text distinguishes malformed chunks and large headers from a lost connection.
        case CURLE_RECV_ERROR where text.contains("chunk"): self = .malformed(text)
        case CURLE_RECV_ERROR where text.hasPrefix("Too large response headers"):
            self = .headerTooLarge(limit: limits.maxHeaderBytes)
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2_STREAM:
            self = .connectionLost(text)
        // libcurl reports a Content-Length beyond 64 bits as if its size limit were exceeded.
        case CURLE_FILESIZE_EXCEEDED: self = .bodyTooLarge(limit: limits.maxBodyBytes)
        // libcurl's limits on header lines: the first code before 8.6, the second one since then.
        case CURLE_OUT_OF_MEMORY where !hasResponse, .tooLarge where !hasResponse:
            self = .headerTooLarge(limit: limits.maxHeaderBytes)
        case CURLE_BAD_CONTENT_ENCODING: self = .undecodable(text)
        // A response that does not start with HTTP/ counts as HTTP/0.9, which is disabled.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2: self = .malformed(text)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            self = .untrustedCertificate(CertificateFault(verification: verification), "\(host): \(text)")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT:
            self = .tls("\(host): \(text)")
        default: self = .io("\(text) (libcurl \(code.rawValue))")
        }
    }
    /// The TLS alerts that concern the client's certificate (RFC 8446, 6.2). With TLS 1.3, they arrive after
    /// the handshake, as a read error, and only OpenSSL's text identifies them.
    private static func clientCertificateRefusal(_ code: CURLcode, _ text: String) -> TransportError? {
        guard
            [CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_SSL_CLIENTCERT].contains(code)
        else { return nil }
        if text.contains("alert certificate required") || code == CURLE_SSL_CLIENTCERT {
            return .clientCertificateRequired(text)
        }
        let verdicts = [
            "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
            "certificate unknown", "unknown ca", "access denied",
        ]
        return verdicts.contains { text.contains("alert \($0)") } ? .clientCertificateRejected(text) : nil
    }
}

extension CURLcode {
    /// `CURLE_TOO_LARGE`, which the headers of libcurl have since 8.6.
    fileprivate static let tooLarge = CURLcode(rawValue: 100)
}

extension CertificateFault {
    /// The fault for an OpenSSL `X509_V_ERR` number. libcurl checks the host itself, after OpenSSL's
    /// verification, and then leaves the number at 0 or, in 7.88, at 1.
    fileprivate init(verification: Int) {
        self =
            switch verification {
            case 0, 1, 62, 64: .wrongHost
            case 9: .notYetValid
            case 10: .expired
            case 18: .selfSigned
            case 2, 19, 20, 21: .unknownAuthority
            default: .other
            }
    }
}
