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
        var live: [ObjectIdentifier: URLProtocolTask] = [:]
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
        let task = URLProtocolTask(request, handler: handler) { [weak self] task in
            _ = self?.state.withLock { $0.live.removeValue(forKey: ObjectIdentifier(task)) }
        }
        let isInvalidated = state.withLock { state in
            if !state.isInvalidated { state.live[ObjectIdentifier(task)] = task }
            return state.isInvalidated
        }
        if isInvalidated { task.cancel() } else { task.begin(type) }
        return task
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
