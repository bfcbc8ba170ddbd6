import Foundation
import FoundationNetworking
import KingfisherTransport

/// The settings of a downloader, read under its lock when a transfer starts.
struct DownloaderSettings: Sendable {
    var timeout: TimeInterval = 15
    var usesPipelining = false
    var readsFileURLs = true
    var delegate: WeakDelegate?
    /// Nil means the downloader itself.
    var responder: WeakResponder?
    var maxBodyBytes = TransportLimits().maxBodyBytes
    var maxBodyBytesInMemory = 1 << 20
    var minimumRate = TransportLimits().minimumRate
    var addressPolicy = AddressPolicy.any
    var tls = TLSConfiguration()
    private var credentials: CredentialStore? = CredentialStore()
    private let injected: (any Transport)?
    /// Nil until the first use. Foundation's configuration opens the cookies and the URL cache of the
    /// program, which takes a fifth of the time of a small thumbnail; programs with local files do not need
    /// it.
    private var made: Connections?

    init(injected: (any Transport)?) { self.injected = injected }

    /// What depends on the session configuration.
    private struct Connections: Sendable {
        let configuration: UncheckedConfiguration
        let queue: QueuedTransport
        /// Runs the transfers: the configuration's `URLProtocol` classes, if any, then a queue, then libcurl
        /// or the injected transport.
        let transport: any Transport
        /// Runs the fetches over ``transport``.
        var fetch: HTTPFetch
    }

    private var connections: Connections {
        mutating get {
            if let made { return made }
            let new = makeConnections(UncheckedConfiguration(copying: .ephemeral))
            made = new
            return new
        }
    }

    var hasConfiguration: Bool { made != nil }
    var configuration: UncheckedConfiguration { mutating get { connections.configuration } }
    var transport: any Transport { mutating get { connections.transport } }
    var fetch: HTTPFetch { mutating get { connections.fetch } }

    var requestRate: RequestRate? {
        get { made?.queue.requestRate }
        set {
            if newValue != nil || hasConfiguration { connections.queue.requestRate = newValue }
        }
    }

    /// The running transfers of an injected transport continue, because others may use it.
    var isSuspended: Bool {
        get { made?.queue.isSuspended ?? false }
        set {
            guard newValue || hasConfiguration else { return }
            let (queue, transport) = (connections.queue, connections.transport)
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
            guard let made else { return }
            self.made?.fetch = HTTPFetch(
                made.transport, credentials: credentials, cookies: made.fetch.cookies)
        }
    }

    var ownsTransport: Bool { injected == nil }

    /// See ``ImageDownloader/maySendCredentials``.
    var maySendCredentials: Bool {
        made?.configuration.hasCredentialFields == true || responder?.value != nil
            || !tls.clientCertificates.isEmpty
    }

    /// Creates a transport for a configuration. Returns the old one if it must be invalidated, which the
    /// caller does outside the lock.
    mutating func configure(_ configuration: UncheckedConfiguration) -> (any Transport)? {
        let (old, rate, isSuspended) = (made?.transport, requestRate, isSuspended)
        // The old transfers of an injected transport continue.
        if isSuspended, !ownsTransport { self.isSuspended = false }
        made = makeConnections(configuration)
        if let rate { requestRate = rate }
        if isSuspended { self.isSuspended = true }
        return ownsTransport ? old : nil
    }

    private func makeConnections(_ configuration: UncheckedConfiguration) -> Connections {
        let queue = Self.queue(over: injected, configuration)
        let transport = Self.transport(over: queue, configuration)
        let fetch = HTTPFetch(
            transport, credentials: credentials, cookies: CookieJar(configuration.value))
        return Connections(configuration: configuration, queue: queue, transport: transport, fetch: fetch)
    }

    /// Ends the transfers of the downloader.
    func invalidate() {
        if ownsTransport { made?.transport.invalidate() }
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

    mutating func transportRequest(for request: URLRequest) -> TransportRequest {
        var request = request
        let configuration = self.configuration
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
