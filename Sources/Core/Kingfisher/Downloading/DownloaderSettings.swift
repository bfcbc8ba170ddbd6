import Foundation
import FoundationNetworking
import KingfisherTransport

/// The settings of a downloader, read under its lock when a transfer starts.
struct DownloaderSettings: Sendable {
    var timeout: TimeInterval = 15
    var usesPipelining = false
    var readsFileURLs = true
    var configuration = UncheckedConfiguration(copying: .ephemeral)
    var delegate: WeakDelegate?
    /// Nil means the downloader itself.
    var responder: WeakResponder?
    var maxBodyBytes = TransportLimits().maxBodyBytes
    var maxBodyBytesInMemory = 1 << 20
    var minimumRate = TransportLimits().minimumRate
    var addressPolicy = AddressPolicy.any
    var tls = TLSConfiguration()
    /// Runs the transfers: the configuration's `URLProtocol` classes, if any, then a queue, then libcurl or
    /// the injected transport.
    private(set) var transport: any Transport
    /// Runs the fetches over ``transport``.
    private(set) var fetch: HTTPFetch
    private var credentials: CredentialStore? = CredentialStore()
    private var queue: QueuedTransport
    private let injected: (any Transport)?

    init(injected: (any Transport)?) {
        self.injected = injected
        queue = Self.queue(over: injected, configuration)
        transport = Self.transport(over: queue, configuration)
        fetch = HTTPFetch(transport, credentials: credentials, cookies: CookieJar(configuration.value))
    }

    var requestRate: RequestRate? {
        get { queue.requestRate }
        set { queue.requestRate = newValue }
    }

    /// The running transfers of an injected transport continue, because others may use it.
    var isSuspended: Bool {
        get { queue.isSuspended }
        set {
            queue.isSuspended = newValue
            (transport as? URLProtocolTransport)?.isSuspended = newValue
            if ownsTransport { (queue.base as? CurlTransport)?.isSuspended = newValue }
        }
    }

    var remembersCredentials: Bool {
        get { credentials != nil }
        set {
            guard newValue != remembersCredentials else { return }
            credentials = newValue ? CredentialStore() : nil
            fetch = HTTPFetch(transport, credentials: credentials, cookies: fetch.cookies)
        }
    }

    var ownsTransport: Bool { injected == nil }

    /// See ``ImageDownloader/maySendCredentials``.
    var maySendCredentials: Bool {
        configuration.hasCredentialFields || responder?.value != nil || !tls.clientCertificates.isEmpty
    }

    /// Creates a transport for the current configuration. Returns the old one if it must be invalidated,
    /// which the caller does outside the lock.
    mutating func replaceTransport() -> (any Transport)? {
        let (old, rate, isSuspended) = (transport, requestRate, isSuspended)
        // The old transfers of an injected transport continue.
        if isSuspended, !ownsTransport { self.isSuspended = false }
        queue = Self.queue(over: injected, configuration)
        if let rate { requestRate = rate }
        transport = Self.transport(over: queue, configuration)
        fetch = HTTPFetch(transport, credentials: credentials, cookies: CookieJar(configuration.value))
        if isSuspended { self.isSuspended = true }
        return ownsTransport ? old : nil
    }

    private static func transport(
        over queue: QueuedTransport, _ configuration: UncheckedConfiguration
    ) -> any Transport {
        let classes = URLProtocolTransport.usable(configuration.value.protocolClasses)
        return classes.isEmpty ? queue : URLProtocolTransport(classes, over: queue)
    }

    private static func queue(
        over injected: (any Transport)?, _ configuration: UncheckedConfiguration
    ) -> QueuedTransport {
        var limits = QueuedTransport.Limits()
        limits.perHost = configuration.value.httpMaximumConnectionsPerHost
        if let injected { return QueuedTransport(injected, limits: limits) }
        var settings = CurlTransport.Configuration()
        // The queue limits the number of transfers. Slow ones have connections in addition to its slots.
        settings.maxConnectionsPerHost = limits.connectionsPerHost
        if let proxies = configuration.value.proxyEnvironment { settings.environment = proxies }
        return QueuedTransport(CurlTransport(settings), limits: limits)
    }

    func transportRequest(for request: URLRequest) -> TransportRequest {
        var request = request
        for (name, value) in configuration.headers where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        var limits = TransportLimits()
        limits.maxBodyBytes = maxBodyBytes
        limits.minimumRate = minimumRate
        let idle = min(Self.limit(request.timeoutInterval), configuration.idleTimeout)
        if idle < .infinity {
            limits.idle = .seconds(min(idle, 1e6))
            // The idle timeout also bounds looking up and connecting to a server.
            limits.connect = min(limits.connect, limits.idle)
        }
        if let total = configuration.total { limits.total = .seconds(total) }
        return TransportRequest(request, limits: limits, addressPolicy: addressPolicy, tls: tls)
    }

    /// The limit in seconds; infinity for a value that is not a positive finite number.
    fileprivate static func limit(_ seconds: TimeInterval) -> TimeInterval {
        seconds.isFinite && seconds > 0 ? seconds : .infinity
    }
}

/// A private copy of a configuration. Unchecked: Foundation's class is not declared sendable; this copy is
/// never changed.
struct UncheckedConfiguration: @unchecked Sendable {
    let value: URLSessionConfiguration

    // Extracted once, not for every request.
    let headers: [(name: String, value: String)]
    let hasCredentialFields: Bool
    /// The idle timeout in seconds; infinity unless it is less than Foundation's default of 60 seconds.
    let idleTimeout: TimeInterval
    /// The deadline of a transfer in seconds; nil unless it is less than Foundation's default of 7 days.
    let total: TimeInterval?

    init(copying configuration: URLSessionConfiguration) {
        value = configuration.copied
        headers = (value.httpAdditionalHeaders ?? [:]).map { ("\($0.key)", "\($0.value)") }
        hasCredentialFields = headers.contains { URLRequest.credentialFields.contains($0.name.lowercased()) }
        let idle = value.timeoutIntervalForRequest
        idleTimeout = idle < 60 ? DownloaderSettings.limit(idle) : .infinity
        let total = value.timeoutIntervalForResource
        self.total = total > 0 && total < 7 * 86_400 ? total : nil
    }

    var copy: URLSessionConfiguration { value.copied }
}

extension URLSessionConfiguration {
    fileprivate var copied: URLSessionConfiguration { copy() as? URLSessionConfiguration ?? self }
}

/// A weak reference to a delegate. An object, because copying a weak reference calls the runtime. Unchecked:
/// delegates may be called from any thread; the reference is never changed.
final class WeakDelegate: @unchecked Sendable {
    private(set) weak var value: (any ImageDownloaderDelegate)?

    init(_ value: any ImageDownloaderDelegate) {
        self.value = value
    }
}

/// A weak reference to a responder. Unchecked: responders may be called from any thread; the reference is
/// never changed.
final class WeakResponder: @unchecked Sendable {
    private(set) weak var value: (any AuthenticationChallengeResponsible)?

    init(_ value: (any AuthenticationChallengeResponsible)?) {
        self.value = value
    }
}
