import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Kingfisher
import KingfisherIsolation
import KingfisherService
public import Logging
import NIOCore
public import ServiceLifecycle
import Synchronization

/// The image server, to run alone or in a `ServiceGroup`.
///
///     let server = try ImageServer(settings)
///     try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger).run()
public final class ImageServer: Service {
    /// Where the server listens.
    public struct Ports: Hashable, Sendable {
        /// Of clients; nil for a Unix domain socket.
        public var clients: Int?
        /// Of operators; nil for a Unix domain socket, or without this listener.
        public var admin: Int?
    }

    private let settings: ServerSettings
    private let images: ServerImages
    private let urls: KnownURLs
    private let logger: Logger
    private let observers: RequestObservers
    private let state = ServerState()
    private let whenRunning: @Sendable (Ports) -> Void

    /// Opens the caches, and starts nothing. Throws if a setting is not valid or a folder cannot be opened.
    ///
    /// - Parameters:
    ///   - logger: Gets a line for each request; nil for a logger of the settings, to standard error.
    ///   - whenRunning: Called once all listeners accept connections, on any thread.
    public init(
        _ settings: ServerSettings, logger: Logger? = nil,
        whenRunning: @escaping @Sendable (Ports) -> Void = { _ in }
    ) throws {
        self.settings = settings
        let logger = logger ?? LineLogHandler.logger(level: settings.logLevel, json: settings.logsJSON)
        (self.logger, self.whenRunning) = (logger, whenRunning)
        observers = RequestObservers(
            metrics: ServerMetrics(
                version: kingfisherVersion, workers: ProcessInfo.processInfo.activeProcessorCount),
            log: RequestLog(logger))
        urls = KnownURLs(try ServiceURLs(settings.urls))
        images = try ServerImages(settings, state, observers.metrics)
    }

    /// Serves until a graceful shutdown, which lets the responses in progress end, for the drain timeout.
    public func run() async throws {
        let load = LoadObserver(state, queueLength: settings.load.effectiveQueueLength)
        KingfisherEvents.add(load)
        observers.start()
        defer {
            KingfisherEvents.remove(load)
            observers.stop()
        }
        observers.metrics.registry.onCollect { [observers, pool = images.pool] in
            observers.metrics.setDecoderProcesses(pool.processIdentifiers.count)
        }
        let ports = PortCollector(expecting: settings.adminListen == nil ? 1 : 2, whenRunning)
        var services: [any Service] = []
        if let admin = settings.adminListen { services.append(operators(admin, ports)) }
        services += [images.background, clients(ports)]
        var configuration = ServiceGroupConfiguration(services: services, logger: logger)
        configuration.maximumGracefulShutdownDuration = settings.timeouts.drain
        let group = ServiceGroup(configuration: configuration)
        try await withGracefulShutdownHandler {
            try await group.run()
        } onGracefulShutdown: { [state] in
            state.stop()
        }
    }

    /// What confines the decoders on this system, or why none starts; nil if there are none. Starts one.
    var decoders: String? {
        guard settings.isolation != .none else { return nil }
        do throws(ImageCodecError) {
            return "decoders confined by: \(try images.pool.report().lockDown.names.joined(separator: ", "))"
        } catch {
            return "no decoder starts: \(error.errorDescription ?? "\(error)")"
        }
    }

    private func clients(_ ports: PortCollector) -> some Service {
        let load = settings.load
        let connections = Connections(
            maximumPerClient: load.connectionsPerClient ?? max(load.connections / 4, 1),
            trustedProxies: load.trustedProxies, didRefuse: observers.metrics.refused)
        var responses = settings.responses
        responses.negotiation = images.negotiation
        let (purges, rules) = (purgeResponder, ServiceResponseRules(responses))
        let responder = ImageResponder(
            settings: settings, urls: urls, images: images, rules: rules,
            connections: connections, limiter: load.rate.map { RateLimiter(rate: $0, burst: load.burst) },
            clients: ClientAddresses(trustedProxies: load.trustedProxies),
            uploads: UploadBudget(
                maximumBody: settings.maximumUploadBytes,
                total: (load.memoryBudget ?? KingfisherManager.serverMemoryBudget) / 2),
            state: state, observers: observers, purges: settings.purgesPublicly ? purges : nil,
            development: DevelopmentResponder(settings, rules))
        return service(responder, settings.listen, "listen", connections, maximum: load.connections) { port in
            ports.add(clients: port)
        }
    }

    private func operators(
        _ listener: ServerSettings.Listener, _ ports: PortCollector
    ) -> some Service {
        let connections = Connections(
            maximumPerClient: 64, trustedProxies: [], didRefuse: observers.metrics.refused)
        let responder = AdminResponder(
            state: state, registry: observers.metrics.registry, purges: purgeResponder)
        return service(responder, listener, "admin-listen", connections, maximum: 256) { port in
            ports.add(admin: port)
        }
    }

    private var purgeResponder: PurgeResponder? {
        settings.purgeToken.map {
            PurgeResponder(
                images: images, sources: settings.urls.sources, token: $0,
                didPurge: observers.metrics.purged(files:))
        }
    }

    private func service<Responder: HTTPResponder>(
        _ responder: Responder, _ listener: ServerSettings.Listener, _ name: String,
        _ connections: Connections, maximum: Int, whenRunning: @escaping @Sendable (Int?) -> Void
    ) -> some Service where Responder.Context == ServerContext {
        let timeouts = settings.timeouts
        let (read, write, idle) = (
            TimeAmount(timeouts.read), TimeAmount(timeouts.write), TimeAmount(timeouts.idle)
        )
        var configuration = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                WriteDeadline(write, didRefuse: connections.didRefuse),
                ConnectionHandler(connections, read: read, idle: idle),
            ], idleTimeout: idle)
        configuration.httpDecoder.maxHeaderFieldSize = 16 << 10
        configuration.httpDecoder.maxHeaderListSize = 32 << 10
        configuration.httpDecoder.maxHeaderFieldCount = 100
        return ListenerService(
            responder: responder, listener: listener, name: name, channel: configuration,
            maximumConnections: maximum, logger: logger, whenRunning: whenRunning)
    }
}

/// Collects the ports of the listeners, and reports them when all are known. Safe from any thread.
private final class PortCollector: Sendable {
    private struct State: Sendable {
        var ports = ImageServer.Ports()
        var missing: Int
    }

    private let state: Mutex<State>
    private let whenComplete: @Sendable (ImageServer.Ports) -> Void

    init(expecting count: Int, _ whenComplete: @escaping @Sendable (ImageServer.Ports) -> Void) {
        state = Mutex(State(missing: count))
        self.whenComplete = whenComplete
    }

    func add(clients port: Int?) { add { $0.clients = port } }
    func add(admin port: Int?) { add { $0.admin = port } }

    private func add(_ change: (inout ImageServer.Ports) -> Void) {
        let complete = state.withLock { state -> ImageServer.Ports? in
            change(&state.ports)
            state.missing -= 1
            return state.missing == 0 ? state.ports : nil
        }
        if let complete { whenComplete(complete) }
    }
}

/// Notes when the queue for memory is full.
private final class LoadObserver: KingfisherEventObserver {
    private let state: ServerState
    private let queueLength: Int

    init(_ state: ServerState, queueLength: Int) { (self.state, self.queueLength) = (state, queueLength) }

    func kingfisher(didReport event: KingfisherEvent) {
        guard case .admissionChanged(_, let waiting, _) = event else { return }
        state.queueChanged(waiting: waiting, of: queueLength)
    }
}
