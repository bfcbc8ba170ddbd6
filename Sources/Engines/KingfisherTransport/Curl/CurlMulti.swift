import CCrypto
import CCurl

/// A multi handle.
///
/// `@unchecked Sendable`: other threads call only ``wakeUp()``, which libcurl allows. The mailbox drops its
/// copy before the handle is freed.
struct CurlMulti: @unchecked Sendable {
    private let pointer: UnsafeMutableRawPointer

    /// libcurl requires one initialization per process; a static is initialized once, on first use.
    private static let isLibraryReady = {
        // A program may exit while a loop is using TLS.
        kf_skip_cleanup_at_exit()
        return curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()

    init?(maxConnectionsPerHost: Int) {
        guard Self.isLibraryReady, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
        _ = kf_curl_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, maxConnectionsPerHost))
        // Idle connections for reuse. libcurl's default grows with the maximum number of concurrent
        // transfers.
        _ = kf_curl_multi_set_long(pointer, CURLMOPT_MAXCONNECTS, 64)
    }

    func wakeUp() { curl_multi_wakeup(pointer) }

    func add(_ handle: CurlHandle) -> Bool { curl_multi_add_handle(pointer, handle.easy) == CURLM_OK }

    func remove(_ handle: CurlHandle) { curl_multi_remove_handle(pointer, handle.easy) }

    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    func poll(milliseconds: Int32) {
        curl_multi_poll(pointer, nil, 0, milliseconds, nil)
    }

    /// The handle of the next transfer that libcurl has finished, as the pointer stored in `CURLOPT_PRIVATE`.
    func nextFinished() -> (handle: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            let code = kf_curl_message_result(message)
            var handle: UnsafeMutableRawPointer?
            _ = kf_curl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &handle)
            if let handle { return (handle, code) }
        }
        return nil
    }

    func free() { curl_multi_cleanup(pointer) }
}
