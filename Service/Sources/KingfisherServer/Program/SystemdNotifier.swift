import Foundation
import Glibc
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Tells systemd what the program does (sd_notify(3)). Does nothing without `$NOTIFY_SOCKET`.
///
/// As a service, it reports a graceful shutdown when it begins.
struct SystemdNotifier: Service {
    private let address: String?
    /// Nil if systemd does not watch this process.
    private let watchdogInterval: Duration?

    init(
        _ environment: [String: String] = ProcessInfo.processInfo.environment, process: pid_t = getpid()
    ) {
        address = environment["NOTIFY_SOCKET"]
        let isWatched = environment["WATCHDOG_PID"].map { pid_t($0) == process } ?? true
        let interval = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.map { Duration.microseconds($0) }
        watchdogInterval = isWatched ? interval.flatMap { $0 > .zero ? $0 : nil } : nil
    }

    func isReady() { send("READY=1") }

    func run() async throws {
        try await gracefulShutdown()
        send("STOPPING=1")
    }

    /// Reports at half of the watchdog's interval that all event loops and Swift's threads respond, until it
    /// is cancelled.
    func reportLife() async {
        guard address != nil, let watchdogInterval else { return }
        while !Task.isCancelled {
            for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() {
                try? await loop.submit {}.get()
            }
            send("WATCHDOG=1")
            try? await Task.sleep(for: watchdogInterval / 2)
        }
    }

    /// Sends a datagram; an address with `@` is in the abstract namespace (unix(7)).
    private func send(_ message: String) {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        guard var path = address.map({ [UInt8]($0.utf8) }), [0x2F, 0x40].contains(path.first),
            path.count < MemoryLayout.size(ofValue: target.sun_path)
        else { return }
        if path[0] == 0x40 { path[0] = 0 }
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path) }
        let length = MemoryLayout.offset(of: \sockaddr_un.sun_path).map { $0 + path.count } ?? 0
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        _ = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    socket, message, message.utf8.count, Int32(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
    }
}
