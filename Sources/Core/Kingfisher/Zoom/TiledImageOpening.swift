import Foundation
import Glibc
import KingfisherImage
import KingfisherStorage
import Synchronization

/// Opens an image for tiles: finds its file, and reads the header.
struct TiledImageOpening: Sendable {
    private let source: Source
    private let options: KingfisherOptionsInfo?
    private let manager: KingfisherManager
    private let space: TileSpace
    private let queue: OperationQueue

    init(
        _ source: Source, _ options: KingfisherOptionsInfo?, _ manager: KingfisherManager,
        _ space: TileSpace = .shared, _ queue: OperationQueue = TileWorker.queue
    ) {
        (self.source, self.options, self.manager) = (source, options, manager)
        (self.space, self.queue) = (space, queue)
    }

    func run() async throws(KingfisherError) -> TiledImage {
        let parsed = manager.parsedOptions(options)
        let folder = (parsed.targetCache ?? manager.cache).bodies
        guard let url = localFile else { return try await openCached(parsed, folder) }
        return try await inBackground(url) { try open(TileFile(url, folder, space), parsed, folder) }
    }

    /// The local file that may be read in place.
    private var localFile: URL? {
        let downloader = manager.downloader
        let loaded = source.loaded(
            readingFileURLs: downloader.settings.withLock { $0.readsFileURLs },
            maxBodyBytes: downloader.maxBodyBytes)
        guard case .provider(let provider as LocalFileImageDataProvider) = loaded else { return nil }
        return provider.fileURL
    }

    private func openCached(
        _ parsed: KingfisherParsedOptionsInfo, _ folder: BodyFolder
    ) async throws(KingfisherError) -> TiledImage {
        let cached: CachedImageFile
        do {
            cached = try await manager.retrieveFile(with: source, options: loadingOptions(parsed))
        } catch {
            throw error as? KingfisherError ?? .cancelledTile
        }
        let url = source.url ?? cached.fileURL
        return try await inBackground(url) {
            let descriptor = cached.withFileDescriptor { fcntl($0, F_DUPFD_CLOEXEC, 0) }
            guard descriptor >= 0 else { throw SystemError(.open, code: errno, path: "") }
            return try open(
                TileFile(adopting: descriptor, isCached: true, url, folder, space), parsed, folder)
        }
    }

    /// Files that are encoded again would have lost detail.
    private func loadingOptions(_ parsed: KingfisherParsedOptionsInfo) -> KingfisherOptionsInfo? {
        guard var serializer = parsed.cacheSerializer as? DefaultCacheSerializer else { return options }
        serializer.preferCacheOriginalData = true
        return (options ?? []) + [.cacheSerializer(serializer)]
    }

    private func inBackground(
        _ url: URL, _ body: @escaping @Sendable () throws -> TiledImage
    ) async throws(KingfisherError) -> TiledImage {
        let outcome: Result<TiledImage, KingfisherError> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async {
                continuation.resume(returning: Result { try body() }.mapError { .tiles(of: url, $0) })
            }
        }
        if Task.isCancelled { throw .cancelledTile }
        return try outcome.get()
    }

    private func open(
        _ file: TileFile, _ parsed: KingfisherParsedOptionsInfo, _ folder: BodyFolder
    ) throws -> TiledImage {
        let context = parsed.decodingContext
        let (header, opening) = try context.run { () throws in try Self.header(of: file.data) }
        try file.check()
        let levels = TileLevels(header.displaySize)
        return TiledImage(levels, TileWorker(file, levels, opening, context, folder, space, queue))
    }

    private static func header(of data: Data) throws -> (ImageHeader, TileWorker.Opening) {
        guard let codec = ImageCodecs.codec(for: data) as? any RegionCodec else {
            let opened = try ImageCodecs.open(data)
            return (opened.header, .whole(opened))
        }
        var limits = ImageLimits.current
        limits.maximumPixels = max(limits.maximumPixels, TiledImage.maximumPixels)
        if let regions = try codec.regions(of: EncodedFile(data, limits: limits)) {
            return (regions.header, .regions(regions))
        }
        let opened = try ImageCodecs.open(data)
        return (opened.header, .whole(opened))
    }
}
