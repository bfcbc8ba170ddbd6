import CCurl
import Glibc

/// What libcurl calls during a transfer. All run inside `perform` or `resume`, on the loop's thread, while
/// the loop keeps the transfer alive.
enum CurlCallbacks {
    static let header: curl_write_callback = { bytes, size, count, owner in
        guard let owner else { return 0 }
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return transfer(owner).takeHeader(line) ? line.count : refused(line)
    }

    static let body: curl_write_callback = { bytes, size, count, owner in
        guard let owner else { return 0 }
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        switch transfer(owner).takeBody(piece) {
        case .taken: return piece.count
        case .paused: return Int(CURL_WRITEFUNC_PAUSE)
        case .refused: return refused(piece)
        }
    }

    /// libcurl's own sockets would be inherited by every program that the process starts, which would keep
    /// their connections open after we have closed them.
    static let openSocket: curl_opensocket_callback = { owner, _, address in
        guard let owner, let address else { return CURL_SOCKET_BAD }
        // The structure's last field begins a socket address of either family; only a pointer to the whole
        // reaches it.
        let peer = UnsafeRawPointer(address) + (MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0)
        let isAllowed = transfer(owner).beginConnecting(
            to: IPAddress(peer.assumingMemoryBound(to: sockaddr.self)))
        guard isAllowed else { return CURL_SOCKET_BAD }
        let descriptor = socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
        transfer(owner).opened(descriptor, error: errno)
        return descriptor
    }

    /// Runs on new and reused connections alike, when the request is about to be sent.
    static let connected: curl_prereq_callback = { owner, peer, _, _, localPort in
        guard let owner else { return Int32(CURL_PREREQFUNC_ABORT) }
        let isAllowed = transfer(owner).beginExchange(port: Int(localPort)) {
            peer.flatMap { IPAddress(String(cString: $0)) }
        }
        return Int32(isAllowed ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
    }

    private static func transfer(_ owner: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(owner).takeUnretainedValue()
    }

    /// A count that differs from what was offered ends the transfer.
    private static func refused(_ offered: UnsafeRawBufferPointer) -> Int { offered.isEmpty ? 1 : 0 }
}
