import Foundation
import FoundationNetworking
import KingfisherTransport

/// What a downloader is set to, read under its lock when a transfer starts.
struct DownloaderSettings: Sendable {
    var timeout: TimeInterval = 15
    var usesPipelining = false
    var configuration = UncheckedConfiguration(value: .ephemeral)
    var delegate = WeakDelegate(nil)
    var responder = WeakResponder(nil)
    var maxBodyBytes = TransportLimits().maxBodyBytes
    var addressPolicy = AddressPolicy.any
    var tls = TLSConfiguration()
    /// What transfers go through: a queue, and behind it libcurl or what was handed in.
    private(set) var transport: any Transport
    private let injected: (any Transport)?

    /// Without a transport handed in, the downloader has one of its own.
    init(injected: (any Transport)?) {
        self.injected = injected
        transport = Self.transport(over: injected, configuration)
    }

    /// Whether the transport is the downloader's to give up.
    var ownsTransport: Bool { injected == nil }

    /// Makes a transport for the configuration as it is now; returns one to be given up outside the lock.
    mutating func replaceTransport() -> (any Transport)? {
        let old = transport
        transport = Self.transport(over: injected, configuration)
        return ownsTransport ? old : nil
    }

    private static func transport(
        over injected: (any Transport)?, _ configuration: UncheckedConfiguration
    ) -> any Transport {
        let classes = URLProtocolTransport.usable(configuration.value.protocolClasses)
        let queue = queue(over: injected, configuration)
        return classes.isEmpty ? queue : URLProtocolTransport(classes, over: queue)
    }

    private static func queue(
        over injected: (any Transport)?, _ configuration: UncheckedConfiguration
    ) -> QueuedTransport {
        var limits = QueuedTransport.Limits()
        limits.perHost = configuration.value.httpMaximumConnectionsPerHost
        if let injected { return QueuedTransport(injected, limits: limits) }
        var settings = CurlTransport.Configuration()
        settings.maxConnectionsPerHost = limits.perHost
        return QueuedTransport(CurlTransport(settings), limits: limits)
    }

    /// The request with the configuration's headers and limits.
    func transportRequest(for request: URLRequest) -> TransportRequest {
        var request = request
        for (name, value) in configuration.value.httpAdditionalHeaders ?? [:] {
            let name = "\(name)"
            if request.value(forHTTPHeaderField: name) == nil {
                request.setValue("\(value)", forHTTPHeaderField: name)
            }
        }
        var limits = TransportLimits()
        limits.maxBodyBytes = maxBodyBytes
        if request.timeoutInterval.isFinite, request.timeoutInterval > 0 {
            limits.idle = .seconds(min(request.timeoutInterval, 1e6))
        }
        let total = configuration.value.timeoutIntervalForResource
        if total > 0, total < 7 * 86_400 { limits.total = .seconds(total) }
        var result = TransportRequest(request, limits: limits)
        result.addressPolicy = addressPolicy
        result.tls = tls
        return result
    }
}

/// A configuration read under the downloader's lock. Unchecked: Foundation's class is not declared sendable, and
/// users set it up before handing it over.
struct UncheckedConfiguration: @unchecked Sendable {
    let value: URLSessionConfiguration
}

/// A weak reference to a delegate. Unchecked: delegates are called from any thread, as their protocol says.
struct WeakDelegate: @unchecked Sendable {
    private(set) weak var value: (any ImageDownloaderDelegate)?

    init(_ value: (any ImageDownloaderDelegate)?) {
        self.value = value
    }
}

/// A weak reference to a responder. Unchecked: responders are called from any thread, as their protocol says.
struct WeakResponder: @unchecked Sendable {
    private(set) weak var value: (any AuthenticationChallengeResponsible)?

    init(_ value: (any AuthenticationChallengeResponsible)?) {
        self.value = value
    }
}
