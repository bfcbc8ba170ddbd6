import Foundation

/// The thread that accepts connections. It owns the listening socket and closes it at the end.
struct AcceptLoop: Sendable {
    let listener: Int32
    let threads: DispatchGroup

    /// Passes every connection to `take` until it returns `false` or the socket is shut down.
    func start(_ take: @escaping @Sendable (Int32) -> Bool) {
        threads.enter()
        let thread = Thread {
            while true {
                let descriptor = accept(listener, nil, nil)
                if descriptor < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    // No file descriptor is available: wait for one.
                    if errno == EMFILE || errno == ENFILE {
                        usleep(2_000)
                        continue
                    }
                    break
                }
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                var on: Int32 = 1
                setsockopt(
                    descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                guard take(descriptor) else { break }
            }
            close(listener)
            threads.leave()
        }
        thread.stackSize = 256 << 10
        thread.start()
    }
}

enum ListeningSocket {
    /// - Parameter host: The IPv4 address; ignored with `ipv6`.
    static func open(
        ipv6: Bool, host: UInt32 = 0x7f00_0001
    ) throws -> (descriptor: Int32, port: UInt16) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(ipv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw systemError() }
        let port = ipv6 ? bind6(descriptor) : bind4(descriptor, host)
        guard let port, listen(descriptor, 1024) == 0 else {
            defer { close(descriptor) }
            throw systemError()
        }
        return (descriptor, port)
    }

    /// Reserves a port of 127.0.0.1 for another process of this user that binds it with SO_REUSEPORT.
    static func reserve() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, size) == 0,
            let port = bind4(descriptor, 0x7f00_0001)
        else {
            defer { close(descriptor) }
            throw systemError()
        }
        return (descriptor, port)
    }

    private static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    private static func bind4(_ descriptor: Int32, _ host: UInt32) -> UInt16? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        return bindAny(descriptor, &address) ? UInt16(bigEndian: address.sin_port) : nil
    }

    private static func bind6(_ descriptor: Int32) -> UInt16? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return bindAny(descriptor, &address) ? UInt16(bigEndian: address.sin6_port) : nil
    }

    private static func bindAny<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
    }
}
