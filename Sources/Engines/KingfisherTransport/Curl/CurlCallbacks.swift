import CCurl
import Glibc

/// The callbacks of libcurl. They run inside `perform` or `resume`, on the loop's thread, while the loop
/// keeps the transfer alive.
enum CurlCallbacks {
    static let header: curl_write_callback = { bytes, size, count, owner in
        guard let owner, let transfer = transfer(owner) else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer._withUnsafeGuaranteedRef { $0.takeHeader(line) } ? line.count : refused(line)
    }

    static let body: curl_write_callback = { bytes, size, count, owner in
        guard let owner, let transfer = transfer(owner) else { return 0 }
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        switch transfer._withUnsafeGuaranteedRef({ $0.takeBody(piece) }) {
        case .taken: return piece.count
        case .paused: return Int(CURL_WRITEFUNC_PAUSE)
        case .refused: return refused(piece)
        }
    }

    /// Adds SOCK_CLOEXEC: child processes would inherit libcurl's own sockets and keep their connections open
    /// after they are closed here.
    static let openSocket: curl_opensocket_callback = { owner, _, address in
        guard let owner, let address, let transfer = transfer(owner)?.takeUnretainedValue() else {
            return CURL_SOCKET_BAD
        }
        // The structure ends with a socket address of either family, which is accessible only through a
        // pointer to the whole structure.
        let peer = UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
        let isAllowed = transfer.beginConnecting(
            to: IPAddress(peer.assumingMemoryBound(to: sockaddr.self)))
        guard isAllowed else { return CURL_SOCKET_BAD }
        let descriptor = socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
        transfer.opened(descriptor, error: errno)
        return descriptor
    }

    /// The owner is ``CurlSockets``, because connections outlive the handles that opened them.
    static let closeSocket: curl_closesocket_callback = { owner, descriptor in
        guard let owner else { return close(descriptor) }
        return Unmanaged<CurlSockets>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.close(descriptor) }
    }

    /// Called when the request is about to be sent, on new and on reused connections.
    static let connected: curl_prereq_callback = { owner, peer, _, _, localPort in
        guard let owner, let transfer = transfer(owner)?.takeUnretainedValue() else {
            return Int32(CURL_PREREQFUNC_ABORT)
        }
        let isAllowed = transfer.beginExchange(port: Int(localPort)) {
            peer.flatMap { IPAddress(String(cString: $0)) }
        }
        return Int32(isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
    }

    /// libcurl calls back only while a handle has a transfer.
    private static func transfer(_ owner: UnsafeMutableRawPointer) -> Unmanaged<CurlTransfer>? {
        Unmanaged<CurlHandle>.fromOpaque(owner)._withUnsafeGuaranteedRef { $0.transfer }
    }

    /// Any count other than the offered one ends the transfer.
    private static func refused(_ offered: UnsafeRawBufferPointer) -> Int { offered.isEmpty ? 1 : 0 }
}
