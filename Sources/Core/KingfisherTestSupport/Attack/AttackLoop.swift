import Foundation
import Glibc
import Synchronization

/// The thread of an ``AttackOrigin``, which owns all of its sockets and polls them.
///
/// Sendable, because only the thread that runs `run()` uses its variables.
final class AttackLoop: @unchecked Sendable {
    private static let tickMilliseconds: Int32 = 10

    private let listeners: [Int32]
    private let traffic: AttackTraffic
    private let handler: AttackOrigin.Handler
    private var connections: [Int32: AttackConnection] = [:]

    /// Takes ownership of the listening sockets.
    init(listeners: [Int32], traffic: AttackTraffic, _ handler: @escaping AttackOrigin.Handler) {
        self.listeners = listeners
        self.traffic = traffic
        self.handler = handler
        for listener in listeners { _ = fcntl(listener, F_SETFL, O_NONBLOCK) }
    }

    func run() {
        while !traffic.count.withLock({ $0.isStopping }) {
            var entries = listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            for (descriptor, connection) in connections {
                let events = connection.isBlocked ? POLLIN | POLLOUT : POLLIN
                entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
            }
            _ = Glibc.poll(&entries, nfds_t(entries.count), Self.tickMilliseconds)
            for entry in entries.prefix(listeners.count) where entry.revents != 0 { acceptAll(entry.fd) }
            let now = ContinuousClock.now
            for entry in entries.dropFirst(listeners.count) { serve(entry, now) }
        }
        for descriptor in Array(connections.keys) { drop(descriptor) }
        for listener in listeners { close(listener) }
    }

    private func acceptAll(_ listener: Int32) {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            connections[descriptor] = AttackConnection(descriptor)
        }
    }

    private func serve(_ entry: pollfd, _ now: ContinuousClock.Instant) {
        let isDue = connections[entry.fd]?.drip(at: now) == true
        if entry.revents & Int16(POLLIN) != 0, connections[entry.fd]?.receive() != true {
            drop(entry.fd)
        } else if entry.revents & Int16(POLLERR | POLLHUP) != 0 {
            drop(entry.fd)
        } else if entry.revents != 0 || isDue {
            respond(entry.fd)
        }
    }

    private func respond(_ descriptor: Int32) {
        guard var connection = connections[descriptor] else { return }
        // The next request may already be in the buffer when a response ends.
        while true {
            if let target = connection.nextTarget() {
                traffic.count.withLock { ($0.requests, $0.open) = ($0.requests + 1, $0.open + 1) }
                connection.begin(handler(target))
            }
            let wasOpen = connection.response != nil
            let isOpen = connection.send()
            connections[descriptor] = connection
            guard isOpen else { return drop(descriptor) }
            guard wasOpen, connection.response == nil else { return }
            traffic.count.withLock { ($0.completed, $0.open) = ($0.completed + 1, $0.open - 1) }
        }
    }

    private func drop(_ descriptor: Int32) {
        guard let connection = connections.removeValue(forKey: descriptor) else { return }
        if connection.response != nil { traffic.count.withLock { $0.open -= 1 } }
        close(descriptor)
    }
}
