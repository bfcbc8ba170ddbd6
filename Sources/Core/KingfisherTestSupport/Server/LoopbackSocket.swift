import Foundation
import Glibc

enum LoopbackSocket {
    /// Connects to a port of 127.0.0.1, from `client`, an address in host byte order.
    /// Throws a `POSIXError` on failure.
    static func connect(to port: UInt16, from client: UInt32? = nil) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var result = client.map { with($0, 0) { Glibc.bind(descriptor, $0, $1) } } ?? 0
        if result == 0 { result = with(0x7f00_0001, port) { Glibc.connect(descriptor, $0, $1) } }
        guard result == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            close(descriptor)
            throw POSIXError(code)
        }
        return descriptor
    }

    private static func with(
        _ host: UInt32, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = host.bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
