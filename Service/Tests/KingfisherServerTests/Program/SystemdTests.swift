import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

/// Sockets and messages of a service manager, without one: a shell passes the sockets as systemd does.
@Suite struct SystemdTests {
    private func environment(_ names: String?, count: String = "1", process: pid_t = 7) -> [String: String] {
        var environment = ["LISTEN_FDS": count, "LISTEN_PID": "\(process)"]
        environment["LISTEN_FDNAMES"] = names
        return environment
    }

    private func reason(_ environment: [String: String], for name: String = "listen") -> String? {
        do throws(SystemdSockets.Failure) {
            // No descriptor of this process has such a number.
            _ = try SystemdSockets(environment, process: 7, first: 1 << 20).descriptor(named: name)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `Variables that name no socket for this process are refused with the reason`() {
        let missing = "There is no socket of systemd: LISTEN_FDS and LISTEN_PID are not set."
        #expect(reason([:])?.hasPrefix(missing) == true)
        #expect(reason(["LISTEN_FDS": "1"])?.hasPrefix(missing) == true)
        #expect(
            reason(environment(nil, process: 8))
                == "The sockets of systemd are for process 8, not for this one.")
        for count in ["0", "-1", "x", "257", ""] {
            #expect(
                reason(environment(nil, count: count))
                    == "LISTEN_FDS, \(count), is not a number from 1 to 256.")
        }
        let none = "None of the sockets of systemd is for"
        let several = "More than one of the sockets of systemd is for"
        #expect(reason(environment("admin-listen"))?.hasPrefix("\(none) listen") == true)
        #expect(reason(environment("a:b", count: "2"))?.hasPrefix("\(several) listen") == true)
        #expect(reason(environment(nil, count: "2"))?.hasPrefix("\(several) listen") == true)
        #expect(reason(environment("listen:listen", count: "2"))?.hasPrefix("\(several) listen") == true)
        #expect(reason(environment("a"), for: "admin-listen")?.hasPrefix("\(none) admin-listen") == true)
    }

    @Test(arguments: [
        (Optional<String>.none, 1, "listen", 0), ("k.socket", 1, "listen", 0),
        ("admin-listen:a", 2, "listen", 1), ("a:listen", 2, "listen", 1),
        ("listen:admin-listen", 2, "admin-listen", 1),
    ])
    func `The socket of a setting has its name, or is the only one`(
        names: String?, count: Int, setting: String, index: Int
    ) {
        #expect(
            reason(environment(names, count: "\(count)"), for: setting)?.hasPrefix(
                "Descriptor \(1 << 20 + index)") == true)
    }

    /// A listening socket on loopback, as the standard input of a program.
    private func listeningSocket() throws -> (FileHandle, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        (address.sin_family, address.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7F00_0001).bigEndian)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) | listen(descriptor, 8) | getsockname(descriptor, $0, &size)
            }
        }
        try #require(status == 0)
        return (
            FileHandle(fileDescriptor: descriptor, closeOnDealloc: true), UInt16(bigEndian: address.sin_port)
        )
    }

    @Test func `A program serves the socket that is passed, and reports start, life and stop`() async throws {
        let (socket, port) = try listeningSocket()
        let notifications = try NotificationSocket()
        let program = try ServerProcess(
            ["--listen", "systemd"], input: socket,
            environment: [
                "NOTIFY_SOCKET": notifications.address, "WATCHDOG_USEC": "200000", "LISTEN_FDS": "1",
            ])
        defer { program.end() }
        #expect(await poll { notifications.received.contains("READY=1") })
        let client = try AttackClient(port: Int(port))
        client.send("/health")
        #expect(client.reply(within: .seconds(10))?.status == 200)
        client.disconnect()
        #expect(await poll { notifications.received.count { $0 == "WATCHDOG=1" } > 3 })
        kill(program.process.processIdentifier, SIGTERM)
        #expect(await poll { !program.process.isRunning })
        #expect(program.process.terminationStatus == 0)
        #expect(notifications.received.contains("STOPPING=1"))
    }

    @Test func `A connection that arrives before the start is served, and limits hold`() async throws {
        let (socket, port) = try listeningSocket()
        let early = try (0..<3).map { _ in try AttackClient(port: Int(port)) }
        for client in early { client.send("/health") }
        let program = try ServerProcess(
            ["--listen", "systemd", "--connections-per-client", "2"], input: socket,
            environment: ["LISTEN_FDS": "1"])
        defer { program.end() }
        let statuses = early.map { $0.reply(within: .seconds(20))?.status }
        #expect(statuses.count { $0 == 200 } == 2)
    }

    @Test(arguments: [
        ("LISTEN_FDS", "LISTEN_FDS and LISTEN_PID are not set"), ("", "is not a listening stream"),
    ])
    func `Without a listening socket, a program does not start and names the reason`(
        removed: String, reason: String
    ) async throws {
        let program = try ServerProcess(
            ["--listen", "systemd"], input: FileHandle.nullDevice,
            environment: removed.isEmpty ? ["LISTEN_FDS": "1"] : [:])
        defer { program.end() }
        #expect(await poll { !program.process.isRunning })
        #expect(program.process.terminationStatus == 1)
        #expect(await poll { program.log.contains(reason) })
    }
}

/// A datagram socket in the abstract namespace, as the one of a service manager.
private final class NotificationSocket {
    let address = "@kingfisher-\(UUID().uuidString)"
    private let descriptor: Int32
    private var messages: [String] = []

    init() throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        let name = [0] + address.utf8.dropFirst()
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bound = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(bound == 0)
    }

    deinit { close(descriptor) }

    /// All messages so far.
    var received: [String] {
        var bytes = [UInt8](repeating: 0, count: 256)
        while case let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)), count > 0 {
            messages.append(String(decoding: bytes[..<count], as: UTF8.self))
        }
        return messages
    }
}
