import Kingfisher
import NIOCore
import Synchronization

/// The open connections of a listener, by channel and by client address.
///
/// Safe from any thread. Lock order: the lock of this table is never held while a connection's lock is taken.
final class Connections: Sendable {
    private struct State: Sendable {
        var open: [ObjectIdentifier: Connection] = [:]
        var counts: [ClientKey: Int] = [:]
    }

    private let state = Mutex(State())
    private let maximumPerClient: Int
    private let trustedProxies: [IPNetwork]
    /// Gets why a connection was refused or closed, on its event loop.
    let didRefuse: @Sendable (ServerMetrics.Refusal) -> Void

    /// Trusted proxies may have any number of connections.
    init(
        maximumPerClient: Int, trustedProxies: [IPNetwork],
        didRefuse: @escaping @Sendable (ServerMetrics.Refusal) -> Void
    ) {
        (self.maximumPerClient, self.trustedProxies) = (maximumPerClient, trustedProxies)
        self.didRefuse = didRefuse
    }

    /// Nil if the client has too many connections.
    func open(_ channel: any Channel) -> Connection? {
        let address = channel.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        let isTrusted = address.map { address in trustedProxies.contains { $0.contains(address) } } ?? true
        let client = address.map(ClientKey.init)
        return state.withLock { state in
            if let client, !isTrusted {
                let count = state.counts[client, default: 0]
                guard count < maximumPerClient else { return nil }
                state.counts[client] = count + 1
            }
            let connection = Connection(address: address, counted: isTrusted ? nil : client)
            state.open[ObjectIdentifier(channel)] = connection
            return connection
        }
    }

    func connection(of channel: any Channel) -> Connection? {
        state.withLock { $0.open[ObjectIdentifier(channel)] }
    }

    func close(_ channel: any Channel) {
        let closed = state.withLock { state -> Connection? in
            guard let connection = state.open.removeValue(forKey: ObjectIdentifier(channel)) else {
                return nil
            }
            if let client = connection.counted, let count = state.counts[client] {
                state.counts[client] = count > 1 ? count - 1 : nil
            }
            return connection
        }
        closed?.clientLeft()
    }
}

/// A client's connection: whether the client still reads, and the work that ends if it does not.
final class Connection: Sendable {
    private struct State: Sendable {
        var hasLeft = false
        var cancel: (@Sendable () -> Void)?
    }

    /// Nil for a Unix domain socket.
    let address: IPAddress?
    /// The client whose connections include this one; nil if they are not counted.
    let counted: ClientKey?
    private let state = Mutex(State())

    init(address: IPAddress?, counted: ClientKey?) { (self.address, self.counted) = (address, counted) }

    /// Sets what is called when the client leaves, on its event loop; at once if it has left. Nil ends this.
    func whenClientLeaves(_ cancel: (@Sendable () -> Void)?) {
        let hasLeft = state.withLock { state in
            state.cancel = cancel
            return state.hasLeft
        }
        if hasLeft { cancel?() }
    }

    func clientLeft() {
        let cancel = state.withLock { state in
            state.hasLeft = true
            return state.cancel.take()
        }
        cancel?()
    }
}
