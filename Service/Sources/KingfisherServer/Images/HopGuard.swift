import Foundation
import FoundationNetworking
import Kingfisher
import KingfisherService

/// A transport that refuses URLs: sources outside the allowed ones, at each hop of a redirect.
///
/// Addresses are checked later, by the address policy.
final class HopGuard: Transport {
    private let base: any Transport
    private let allows: @Sendable (URL) -> Bool

    init(_ base: any Transport, allows: @escaping @Sendable (URL) -> Bool) {
        (self.base, self.allows) = (base, allows)
    }

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        if let url = request.urlRequest.url, allows(url) { return base.start(request, handler: handler) }
        let task = RefusedTask()
        let host = request.urlRequest.url?.host ?? ""
        // Never on the thread of the caller.
        DispatchQueue.global().async { handler.transfer(task, finished: .failure(.addressRefused(host))) }
        return task
    }

    func invalidate() { base.invalidate() }
}

private final class RefusedTask: TransportTask {
    func cancel() {}
    func resume() {}
}

/// Which URLs a server fetches.
struct FetchRules: Sendable {
    let sources: ServiceSourceRules
    /// Nil for all.
    let ports: Set<Int>?

    func allows(_ url: URL) -> Bool {
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return ports?.contains(port) != false && sources.allows(url)
    }
}
