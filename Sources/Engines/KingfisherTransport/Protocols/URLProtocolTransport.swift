import Foundation
public import FoundationNetworking
import Synchronization

/// Passes requests to `URLProtocol` classes, and all others to another transport.
///
/// Tests written for URLSession replace the network in this way. The first class whose `canInit(with:)`
/// accepts a request is instantiated with its `canonicalRequest(for:)` and started. No URLSession is
/// involved. `startLoading` and `stopLoading` are called on a serial queue of the transfer, `stopLoading`
/// exactly once at the end. A class may call its client from any thread and in any order: data waits for the
/// response, and calls after the end are ignored. Redirects are checked and followed like a server's. There
/// is no cache, and a class must handle its own challenges.
public final class URLProtocolTransport: Transport {
    private struct State {
        var live: [Int: URLProtocolTask] = [:]
        var lastNumber = 0
        var isSuspended = false
        var isInvalidated = false
    }

    private let classes: [URLProtocol.Type]
    private let base: any Transport
    private let state = Mutex(State())

    /// Creates a transport that asks `classes` in order, then uses `base`.
    public init(_ classes: [URLProtocol.Type], over base: any Transport) {
        self.classes = classes
        self.base = base
    }

    /// The usable classes of a configuration. Foundation's own classes work only inside a URLSession.
    package static func usable(_ classes: [AnyClass]?) -> [URLProtocol.Type] {
        (classes ?? []).compactMap { $0 as? URLProtocol.Type }
            .filter { !String(reflecting: $0).hasPrefix("FoundationNetworking.") }
    }

    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        guard let type = classes.first(where: { $0.canInit(with: request.urlRequest) }) else {
            return base.start(request, handler: handler)
        }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let task = URLProtocolTask(type, request, handler: handler) { [weak self] in
            _ = self?.state.withLock { $0.live.removeValue(forKey: number) }
        }
        let (isInvalidated, isSuspended) = state.withLock { state in
            if !state.isInvalidated { state.live[number] = task }
            if state.isSuspended { task.setSuspended(true) }
            return (state.isInvalidated, state.isSuspended)
        }
        if isInvalidated { task.cancel() } else if !isSuspended { task.begin() }
        return task
    }

    /// Whether the transfers of the classes are suspended: they do not begin, deliver nothing, and no time
    /// limit runs. They may fail and be cancelled.
    package var isSuspended: Bool {
        get { state.withLock(\.isSuspended) }
        set {
            state.withLock { state in
                state.isSuspended = newValue
                for (_, task) in state.live.sorted(by: { $0.key < $1.key }) { task.setSuspended(newValue) }
            }
        }
    }

    public func invalidate() {
        let live = state.withLock { state in
            state.isInvalidated = true
            return Array(state.live.values)
        }
        for task in live { task.cancel() }
        base.invalidate()
    }
}
