import CCurl
import Glibc

/// What libcurl calls during a transfer. All run inside `perform` or `resume`, on the loop's thread, while the loop
/// keeps the transfer alive.
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

    /// libcurl's own sockets would be inherited by every program that the process starts, which would keep their
    /// connections open after we have closed them.
    static let openSocket: curl_opensocket_callback = { owner, _, address in
        if let owner { transfer(owner).beginConnecting() }
        guard let address = address?.pointee else { return -1 }
        return socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    }

    /// Runs on new and reused connections alike, when the request is about to be sent.
    static let connected: curl_prereq_callback = { owner, _, _, _, _ in
        if let owner { transfer(owner).beginExchange() }
        return Int32(CURL_PREREQFUNC_OK)
    }

    private static func transfer(_ owner: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(owner).takeUnretainedValue()
    }

    /// A count that differs from what was offered ends the transfer.
    private static func refused(_ offered: UnsafeRawBufferPointer) -> Int { offered.isEmpty ? 1 : 0 }
}
