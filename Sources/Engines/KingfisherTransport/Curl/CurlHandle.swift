import CCurl
import CSSL
import Foundation
import KingfisherDigests

/// An easy handle whose common options are set once. It is used only on the loop's thread.
///
/// A warm handle keeps its options, and only those that differ are set for the next transfer: usually the
/// URL. That saves a third of the cost of a small transfer.
///
/// What a transfer leaves in its handle, in libcurl 7.88, and what resets it:
///
/// | state | reset |
/// | --- | --- |
/// | URL, header fields, addresses, proxy, user agent, error text | ``prepare(for:fields:userAgent:)`` |
/// | method, body, TLS options, the wish for a new connection | never; such handles are not reused |
/// | times, counts, HTTP version, credentials of a proxy, pauses, unread data | libcurl, at the start of a \
/// transfer or when the handle is removed |
/// | the count of repeated requests, and whether the server refused the stream | only `curl_easy_reset`, \
/// which also resets all options. The sixth repetition of a handle fails. So a handle is reused only if \
/// its request was sent once (``CurlTransfer/canReuseHandle``) |
/// | TLS sessions, which shorten later handshakes | never; reused handles have the same TLS options |
///
/// Connections, names and timers are in the multi handle.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    /// The transfer that libcurl's callbacks are for. Unmanaged, because each header line is a callback, and
    /// the loop keeps the transfer alive.
    @exclusivity(unchecked) private(set) var transfer: Unmanaged<CurlTransfer>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var isSecure = false
    private var proxy = ""
    /// Read by new connections, in addition to the program's authorities.
    private var systemAuthorities: String?
    @exclusivity(unchecked) private var lines: [String] = []
    @exclusivity(unchecked) private var fields: UnsafeMutablePointer<curl_slist>?
    @exclusivity(unchecked) private var addresses: UnsafeMutablePointer<curl_slist>?

    /// The first error of an option since the transfer was set up.
    private(set) var status = CURLE_OK

    /// - Parameter sockets: Must outlive the connections that the handle opens.
    init?(_ sockets: CurlSockets) {
        guard let easy = curl_easy_init() else {
            errorText.deallocate()
            return nil
        }
        self.easy = easy
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        // Buffers of 16 and 64 KB cost a fifth more CPU time per megabyte.
        set(CURLOPT_BUFFERSIZE, 256 << 10)
        // libcurl would decode all received data before it obeys a pause.
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        // The path was checked, and may be signed, with its dot segments. libcurl would remove them, and
        // escaped ones depending on its version.
        set(CURLOPT_PATH_AS_IS, 1)
        // A proxy's response to CONNECT is not the server's.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // ProxyEnvironment handles exceptions; if unset, libcurl would read the process's environment.
        set(CURLOPT_NOPROXY, "")
        // The loop has its own timeouts. libcurl's would include the wait for a free connection.
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(Int32.max))
        set(CURLOPT_PROXY, "")  // no proxy, regardless of the environment
        let owner = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_OPENSOCKETDATA,
            CURLOPT_PREREQDATA,
        ] {
            set(option, owner)
        }
        set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(sockets).toOpaque())
        setCallbacks()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        curl_slist_free_all(addresses)
        errorText.deallocate()
    }

    func prepare(for transfer: CurlTransfer, fields lines: [String], userAgent: String?) {
        self.transfer = Unmanaged.passUnretained(transfer)
        status = CURLE_OK
        errorText[0] = 0
        set(CURLOPT_URL, transfer.url?.absoluteString ?? "")
        let isSecure = transfer.origin?.scheme == "https"
        if isSecure != self.isSecure {
            self.isSecure = isSecure
            // With PIPEWAIT, a second request to a host waits for the connection being opened, in case TLS
            // negotiates HTTP/2. Without TLS, libcurl would wait for the whole first response header, so one
            // slow response would delay the other requests.
            set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
        }
        let proxy = transfer.proxy ?? ""
        if proxy != self.proxy {
            self.proxy = proxy
            set(CURLOPT_PROXY, proxy)
            // For CONNECT; servers get it from the header lines.
            set(CURLOPT_USERAGENT, proxy.isEmpty ? nil : userAgent)
        }
        if lines != self.lines {
            self.lines = lines
            replace(&fields, by: lines, CURLOPT_HTTPHEADER)
        }
        if addresses != nil || !transfer.resolveEntries.isEmpty {
            replace(&addresses, by: transfer.resolveEntries, CURLOPT_RESOLVE)
        }
    }

    /// Uses a new connection. The handle must not be reused afterwards.
    func avoidsOpenConnections() { set(CURLOPT_FRESH_CONNECT, 1) }

    /// Sets a method other than GET, or a body. The handle must not be reused afterwards.
    func setMethod(_ method: String, body: Data?) {
        if let body {
            set(CURLOPT_POST, 1)
            record(kf_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            body.withUnsafeBytes { bytes in
                // An empty body has no address. Without data, libcurl would read standard input.
                if let start = bytes.baseAddress {
                    set(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
                } else {
                    set(CURLOPT_COPYPOSTFIELDS, "")
                }
            }
        } else if method == "HEAD" {
            set(CURLOPT_NOBODY, 1)
        }
        set(CURLOPT_CUSTOMREQUEST, method)
    }

    /// Sets the TLS options. The handle must not be reused afterwards.
    ///
    /// - Parameter file: The file of the system's authorities.
    func setTLS(_ tls: TLSSettings, system file: String?) {
        if !tls.verifiesServer {
            set(CURLOPT_SSL_VERIFYPEER, 0)
            set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        if tls.minimumVersion == .tls13 { set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_3)) }
        if !tls.trustsSystem { set(CURLOPT_CAPATH, nil) }
        if !tls.authorities.isEmpty {
            // libcurl ignores malformed certificates if there are valid ones.
            if !tls.authorities.contains(Data("CERTIFICATE-----".utf8)) { record(CURLE_SSL_CACERT_BADFILE) }
            // The blob replaces the system's file. That is not appended, because libcurl copies and compares
            // the blob for each transfer. The text after it, which PEM ignores, keeps connections that trust
            // the system apart from others.
            set(CURLOPT_CAINFO_BLOB, tls.authorities + Data((tls.trustsSystem ? "\nsystem\n" : "").utf8))
            if tls.trustsSystem { trustSystem(file) }
        } else if !tls.trustsSystem {
            set(CURLOPT_CAINFO, nil)
        }
        guard let certificate = tls.clientCertificate else { return }
        // libcurl reuses a connection for a request with an equal certificate, even if its key differs. PEM
        // ignores text after the certificates.
        let key = Data("\(certificate.passphrase ?? "")\n".utf8) + certificate.privateKey
        let digest = key.withUnsafeBytes { SHA256.hexDigest(of: $0) }
        set(CURLOPT_SSLCERT_BLOB, certificate.chain + Data("\n\(digest)\n".utf8))
        // libcurl 8.23 refuses an empty key as a wrong argument.
        if certificate.privateKey.isEmpty { record(CURLE_SSL_CERTPROBLEM) }
        set(CURLOPT_SSLKEY_BLOB, certificate.privateKey)
        // Without a passphrase, OpenSSL would prompt on the terminal.
        set(CURLOPT_KEYPASSWD, certificate.passphrase ?? "")
    }

    /// Adds the system's file to what a new connection trusts. An unreadable file adds nothing.
    private func trustSystem(_ file: String?) {
        systemAuthorities = file
        set(CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(self).toOpaque())
        record(
            kf_curl_set_ssl_context_function(easy) { _, context, owner in
                let handle = Unmanaged<CurlHandle>.fromOpaque(owner!).takeUnretainedValue()
                if let file = handle.systemAuthorities {
                    SSL_CTX_load_verify_locations(OpaquePointer(context), file, nil)
                }
                return CURLE_OK
            })
    }

    /// The CA file that libcurl trusts by default.
    static let defaultAuthorities = CurlHandle(CurlSockets())?.string(CURLINFO_CAINFO)

    func endTransfer() { transfer = nil }

    var message: String { String(cString: errorText) }

    func resume() { curl_easy_pause(easy, CURLPAUSE_CONT) }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        _ = kf_curl_get_long(easy, info, &value)
        return value
    }

    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        _ = kf_curl_get_offset(easy, info, &value)
        return Int64(value)
    }

    func string(_ info: CURLINFO) -> String {
        var value: UnsafePointer<CChar>?
        _ = kf_curl_get_string(easy, info, &value)
        return value.map { String(cString: $0) } ?? ""
    }

    private func setCallbacks() {
        record(kf_curl_set_data_function(easy, CURLOPT_HEADERFUNCTION, CurlCallbacks.header))
        record(kf_curl_set_data_function(easy, CURLOPT_WRITEFUNCTION, CurlCallbacks.body))
        record(kf_curl_set_socket_function(easy, CurlCallbacks.openSocket))
        record(kf_curl_set_close_function(easy, CurlCallbacks.closeSocket))
        record(kf_curl_set_prerequest_function(easy, CurlCallbacks.connected))
    }

    private func replace(
        _ list: inout UnsafeMutablePointer<curl_slist>?, by lines: [String], _ option: CURLoption
    ) {
        let old = list
        list = self.list(lines)
        record(kf_curl_set_list(easy, option, list))
        curl_slist_free_all(old)
    }

    private func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
        var head: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let next = curl_slist_append(head, line) else {
                record(CURLE_OUT_OF_MEMORY)
                break
            }
            head = next
        }
        return head
    }

    private func set(_ option: CURLoption, _ value: Int) { record(kf_curl_set_long(easy, option, value)) }
    private func set(_ option: CURLoption, _ value: String?) {
        record(kf_curl_set_string(easy, option, value))
    }
    private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        record(kf_curl_set_pointer(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: Data) {
        record(value.withUnsafeBytes { kf_curl_set_blob(easy, option, $0.baseAddress, $0.count) })
    }

    private func record(_ code: CURLcode) {
        if status == CURLE_OK { status = code }
    }
}
