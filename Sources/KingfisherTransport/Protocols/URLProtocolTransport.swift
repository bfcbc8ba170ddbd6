import Foundation
public import FoundationNetworking
import Synchronization

/// Lets classes of `URLProtocol` answer requests; what none of them takes goes to another transport.
///
/// It is how tests written for URLSession replace the network: the first class whose `canInit(with:)` takes a
/// request is made for its `canonicalRequest(for:)` and told to load. No URLSession takes part.
/// `startLoading` and `stopLoading` are called on a serial queue of the transfer, `stopLoading` once at its
/// end, whatever that is. A class may call its client from any thread and in any order: data waits for the
/// response, and nothing counts after the end. Redirects that it reports are checked and followed like a
/// server's. There is no cache to consult, and a challenge that it reports is left to the class itself.
public final class URLProtocolTransport: Transport {
    private struct State {
        var live: [ObjectIdentifier: URLProtocolTask] = [:]
        var isInvalidated = false
    }

    private let classes: [URLProtocol.Type]
    private let base: any Transport
    private let state = Mutex(State())

    /// Asks `classes` in their order before `base`.
    public init(_ classes: [URLProtocol.Type], over base: any Transport) {
        self.classes = classes
        self.base = base
    }

    /// The classes of a configuration that can be asked: Foundation's own only work inside a URLSession.
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
