import Foundation
import FoundationNetworking
import KingfisherTransport

/// What a downloader is set to, read under its lock when a transfer starts.
struct DownloaderSettings: Sendable {
    var timeout: TimeInterval = 15
    var usesPipelining = false
    var readsFileURLs = true
    var configuration = UncheckedConfiguration(copying: .ephemeral)
    var delegate = WeakDelegate(nil)
    /// nil for the downloader itself.
    var responder: WeakResponder?
    var maxBodyBytes = TransportLimits().maxBodyBytes
    var minimumRate = TransportLimits().minimumRate
    var addressPolicy = AddressPolicy.any
    var tls = TLSConfiguration()
    /// What transfers go through: the configuration's `URLProtocol` classes, if any, then a queue, and behind
    /// it libcurl or what was handed in.
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
        // Which transfers may run is the queue's to say; slow ones have connections beyond the slots.
        settings.maxConnectionsPerHost = limits.connectionsPerHost
        if let proxies = configuration.value.proxyEnvironment { settings.environment = proxies }
        return QueuedTransport(CurlTransport(settings), limits: limits)
    }

    /// The request with the configuration's headers and limits.
    func transportRequest(for request: URLRequest) -> TransportRequest {
        var request = request
        for (name, value) in configuration.headers where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        var limits = TransportLimits()
        limits.maxBodyBytes = maxBodyBytes
        limits.minimumRate = minimumRate
        let silence = min(Self.limit(request.timeoutInterval), configuration.silence)
        if silence < .infinity {
            limits.idle = .seconds(min(silence, 1e6))
            // A server that cannot be found or reached is as silent as one that does not answer.
            limits.connect = min(limits.connect, limits.idle)
        }
        if let total = configuration.total { limits.total = .seconds(total) }
        var result = TransportRequest(request, limits: limits)
        result.addressPolicy = addressPolicy
        result.tls = tls
        return result
    }

    /// A time that limits something; what is none limits nothing.
    fileprivate static func limit(_ seconds: TimeInterval) -> TimeInterval {
        seconds.isFinite && seconds > 0 ? seconds : .infinity
    }
}

/// A configuration that nobody else has. Unchecked: Foundation's class is not declared sendable;
/// this object of it is never changed.
struct UncheckedConfiguration: @unchecked Sendable {
    /// Only to be read.
    let value: URLSessionConfiguration

    // Taken out once, not for every request.
    let headers: [(name: String, value: String)]
    /// The longest silence; infinite where nobody has asked for less than Foundation's minute.
    let silence: TimeInterval
    /// The longest time of a transfer; nil where nobody has asked for less than Foundation's week.
    let total: TimeInterval?

    init(copying configuration: URLSessionConfiguration) {
        value = configuration.copied
        headers = (value.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        let silence = value.timeoutIntervalForRequest
        self.silence = silence < 60 ? DownloaderSettings.limit(silence) : .infinity
        let total = value.timeoutIntervalForResource
        self.total = total > 0 && total < 7 * 86_400 ? total : nil
    }

    /// One that may be changed.
    var copy: URLSessionConfiguration { value.copied }
}

extension URLSessionConfiguration {
    fileprivate var copied: URLSessionConfiguration { copy() as? URLSessionConfiguration ?? self }
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
