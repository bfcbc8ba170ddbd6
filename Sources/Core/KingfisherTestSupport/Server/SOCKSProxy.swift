import Foundation
import Glibc
import Synchronization

/// A SOCKS5 proxy for tests (RFC 1928), on a free port of the loopback interface.
///
/// It records what clients ask for, and connects all of them to one port of this machine: names need not
/// exist. It runs until `stop()`.
package final class SOCKSProxy: Sendable {
    /// The destination in a request.
    package enum Destination: Sendable, Hashable {
        case address(String, port: UInt16)
        /// The proxy is asked to resolve the name.
        case name(String, port: UInt16)
    }

    private let server: SocketServer
    private let record: Record

    /// - Parameters:
    ///   - target: The port that all connections lead to.
    ///   - reply: The reply to requests; 0 grants them, 5 means that the server refused the connection.
    package init(to target: UInt16, reply: UInt8 = 0) throws {
        let record = Record()
        self.record = record
        server = try SocketServer { client in
            Session(client: client, target: target, reply: reply).run { destination in
                record.destinations.withLock { $0.append(destination) }
            }
        }
    }

    package var port: UInt16 { server.port }

    package var destinations: [Destination] { record.destinations.withLock { $0 } }

    /// Closes every connection and waits for the proxy's threads to end.
    package func stop() { server.stop() }

    private final class Record: Sendable {
        let destinations = Mutex<[Destination]>([])
    }
}

/// The connection of one client.
private struct Session {
    let client: Int32
    let target: UInt16
    let reply: UInt8

    func run(_ record: (SOCKSProxy.Destination) -> Void) {
        guard let greeting = receive(2), greeting[0] == 5, receive(Int(greeting[1])) != nil,
            send([5, 0], to: client), let destination = nextDestination()
        else { return }
        record(destination)
        guard send([5, reply, 0, 1, 0, 0, 0, 0, 0, 0], to: client), reply == 0,
            let server = try? LoopbackSocket.connect(to: target)
        else { return }
        relay(to: server)
        close(server)
    }

    /// Version, command, reserved byte, kind of address, address and port (RFC 1928, 4).
    private func nextDestination() -> SOCKSProxy.Destination? {
        guard let head = receive(4), head[0] == 5, head[1] == 1 else { return nil }
        switch head[3] {
        case 1:
            guard let bytes = receive(6) else { return nil }
            let address = bytes.prefix(4).map(String.init).joined(separator: ".")
            return .address(address, port: UInt16(bytes[4]) << 8 | UInt16(bytes[5]))
        case 3:
            guard let count = receive(1)?.first.map(Int.init), let bytes = receive(count + 2) else {
                return nil
            }
            let name = String(decoding: bytes.prefix(count), as: UTF8.self)
            return .name(name, port: UInt16(bytes[count]) << 8 | UInt16(bytes[count + 1]))
        default: return nil
        }
    }

    /// Copies bytes in both directions until one side ends.
    private func relay(to server: Int32) {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            var entries = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&entries, 2, -1) >= 0 || errno == EINTR else { return }
            for (entry, target) in zip(entries, [server, client]) where entry.revents != 0 {
                let count = recv(entry.fd, &buffer, buffer.count, 0)
                guard count > 0, send(buffer[..<count], to: target) else { return }
            }
        }
    }

    private func receive(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return recv(client, &bytes, count, Int32(MSG_WAITALL)) == count ? bytes : nil
    }

    private func send(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
