import Foundation
import Kingfisher
import KingfisherFormats
import KingfisherIsolation
import KingfisherService
import KingfisherSharedCache

/// Loads the results of requests: from memory, two disk caches and the shared tier, or from their sources.
///
/// The core builds a result once for equal concurrent requests, and downloads an original once for all sizes.
/// Safe from any thread.
final class ServerImages: Sendable {
    let negotiation: FormatNegotiation
    let pool: DecoderPool
    let results: ImageCache
    let originals: ImageCache
    let manager: KingfisherManager
    let background: BackgroundFormats
    private let resources: ServiceLoad.Resources
    private let settings: ServerSettings

    /// Throws if a folder cannot be created or opened, if an image of the settings cannot be read, or if the
    /// URL of the shared engine is invalid. An engine that cannot be reached is no error.
    init(_ settings: ServerSettings, _ state: ServerState, _ metrics: ServerMetrics) throws {
        ImageCodecs.registerAll()
        self.settings = settings
        negotiation = FormatNegotiation(registered: settings.formats)
        resources = try Self.resources(of: settings)
        pool = Self.pool(settings)
        (results, originals) = (try Self.cache("results", settings), try Self.cache("originals", settings))
        results.diskStorage.config.sizeLimit = UInt(settings.caches.resultBytes)
        originals.diskStorage.config.sizeLimit = UInt(settings.caches.originalBytes)
        results.encodedStorage.config.totalCostLimit = settings.caches.memoryBytes
        let manager = Self.manager(settings, cache: results, pool: pool)
        self.manager = manager
        background = BackgroundFormats(state, metrics) { load in
            _ = try await manager.retrieveData(with: load.source, options: load.options)
        }
        manager.defaultOptions += [.originalCache(originals)]
        #if SharedCache
            if let shared = settings.caches.shared { manager.tiers = [try RedisTier(url: shared)] }
        #endif
    }

    /// Whether results are shared with other servers.
    var hasTier: Bool { !manager.tiers.isEmpty }

    /// The load of a request, with the body of an upload. Throws 404 for a source that this server does not
    /// have.
    func load(
        _ request: ServiceRequest, accept: AcceptHeader, upload: Data? = nil
    ) throws(ServiceError) -> ServiceLoad {
        try ServiceLoad(request, accept: accept, negotiation, resources, upload: upload)
    }

    /// The load of the request's fallback image; nil without one.
    func fallback(for request: ServiceRequest, accept: AcceptHeader) throws(ServiceError) -> ServiceLoad? {
        try ServiceLoad.fallback(for: request, accept: accept, negotiation, resources)
    }

    /// The result in memory or on disk; nil if there is none that is fresh. Never waits for memory or for a
    /// source.
    func cachedResult(of load: ServiceLoad) async -> RetrieveDataResult? {
        guard case .provider = load.source else { return await lookUp(load) }
        // Reads the version of a file, for which a network file system may wait. The task that it starts runs
        // on another thread than the event loop, which all connections share.
        return await Task { [self] in await lookUp(load) }.value
    }

    private func lookUp(_ load: ServiceLoad) async -> RetrieveDataResult? {
        let found = await manager.cachedData(with: load.source, options: load.options)
        // While its file is encoded, a look for it would wait.
        guard found.map(load.isInterim) ?? true, let final = load.final, !background.has(final) else {
            return found
        }
        return await manager.cachedData(with: final.source, options: final.options) ?? found
    }

    /// What a result is for its request. The requested format of an interim result is made later.
    func kind(of result: RetrieveDataResult, _ load: ServiceLoad) -> ServiceResult.Kind {
        guard load.isInterim(result), let final = load.final else { return .final }
        background.add(final)
        return .interim
    }

    /// The result, from a cache or made.
    func result(of load: ServiceLoad) async throws -> RetrieveDataResult {
        try await retrieve(load, load.options)
    }

    /// Makes the result of an upload, which is stored only if the settings say so.
    func uploadedResult(of load: ServiceLoad) async throws -> RetrieveDataResult {
        if settings.storesUploads { return try await result(of: load) }
        let options = load.options + [.cacheMemoryOnly, .memoryCacheExpiration(.expired)]
        return try await retrieve(load, options)
    }

    private func retrieve(
        _ load: ServiceLoad, _ options: KingfisherOptionsInfo
    ) async throws -> RetrieveDataResult {
        do {
            return try await manager.retrieveData(with: load.source, options: options)
        } catch {
            let context = KingfisherParsedOptionsInfo(manager.defaultOptions).decodingContext
            throw load.cause(of: error, in: context)
        }
    }
}

extension ServerImages {
    private static func cache(_ name: String, _ settings: ServerSettings) throws -> ImageCache {
        let cache = try ImageCache(name: name, cacheDirectoryURL: settings.caches.folder)
        // For purges by prefix.
        cache.diskStorage.config.recordsKeys = true
        return cache
    }

    private static func resources(of settings: ServerSettings) throws -> ServiceLoad.Resources {
        var resources = ServiceLoad.Resources()
        for (name, url) in settings.watermarks {
            guard let image = Image(data: try Data(contentsOf: url)) else {
                throw ServiceSettingsError("watermark.\(name)", "The file is not an image.")
            }
            resources.watermarks[name] = WatermarkImageProcessor.Mark(image, name: name)
        }
        resources.fallbacks = settings.fallbacks
        resources.folder = try settings.folder.map { try ImageFolder(url: $0) }
        resources.buckets = settings.buckets.map { buckets in
            var limits = S3Source.Limits()
            limits.maximumBytes = settings.maximumSourceBytes
            limits.totalTimeout = settings.timeouts.download.seconds
            return S3Source(
                buckets.endpoint, buckets.credentials, allowing: buckets.allowedAddresses, limits: limits)
        }
        resources.maximumSourceBytes = settings.maximumSourceBytes
        (resources.frames, resources.qualities) = (settings.frames, settings.qualities)
        resources.slowFormats = settings.slowFormats
        return resources
    }

    private static func pool(_ settings: ServerSettings) -> DecoderPool {
        guard let decoder = settings.decoder else { return .shared }
        var decoders = DecoderSettings()
        decoders.executable = decoder
        return DecoderPool(settings: decoders)
    }

    private static func manager(
        _ settings: ServerSettings, cache: ImageCache, pool: DecoderPool
    ) -> KingfisherManager {
        let rules = FetchRules(sources: settings.urls.sources, ports: settings.allowedPorts)
        var transport = CurlTransport.Configuration()
        transport.userAgent = "kingfisher-server/\(kingfisherVersion)"
        // No proxy of the environment: it would see internal addresses, and no address would be checked.
        transport.environment = [:]
        let manager = KingfisherManager.forServers(
            cache: cache, memoryBudget: settings.load.memoryBudget ?? KingfisherManager.serverMemoryBudget,
            transport: HopGuard(CurlTransport(transport), allows: rules.allows))
        manager.maximumQueueLength = settings.load.effectiveQueueLength
        let downloader = manager.downloader
        downloader.maxBodyBytes = settings.maximumSourceBytes
        let networks = settings.allowedAddresses
        downloader.addressPolicy =
            networks.isEmpty
            ? .publicOnly
            : .custom { address in address.isPublic || networks.contains { $0.contains(address) } }
        let configuration = downloader.sessionConfiguration
        configuration.timeoutIntervalForResource = settings.timeouts.download.seconds
        downloader.sessionConfiguration = configuration
        let server = KingfisherManager.serverImageLimits
        let limits = ImageLimits(
            maximumPixels: min(settings.maximumSourcePixels, server.maximumPixels),
            maximumFrames: min(settings.maximumFrames, server.maximumFrames),
            maximumAnimationPixels: server.maximumAnimationPixels,
            maximumFrameBytes: server.maximumFrameBytes, maximumMetadataBytes: server.maximumMetadataBytes)
        let strategy =
            settings.isolation == .none ? nil : DecoderIsolation(policy: settings.isolation, pool: pool)
        manager.defaultOptions += [
            .decodingContext(DecodingContext(limits: limits, strategy: strategy, usesIdleCores: false)),
            .httpCaching,
            .httpFreshnessBounds(
                HTTPFreshnessBounds(
                    minimumLifetime: settings.caches.sourceMinimumLifetime,
                    defaultLifetime: settings.caches.sourceDefaultLifetime)),
        ]
        return manager
    }
}

extension ServerSettings.Load {
    var effectiveQueueLength: Int {
        queueLength ?? ProcessInfo.processInfo.activeProcessorCount * 4 + 64
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}
