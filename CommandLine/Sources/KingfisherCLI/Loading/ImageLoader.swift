import Foundation
import Kingfisher
import KingfisherSteps

/// What `kingfisher get` was told about loading.
struct LoadingOptions: Sendable {
    var steps: [ProcessingStep] = []
    /// Whether the steps are done to every frame of an animation, or make a still of its first one.
    var processesAllFrames = false
    /// The folder that holds the cache's folder; nil is the user's folder for caches.
    var cacheFolder: String?
    var noCache = false
    var refresh = false
    var onlyFromCache = false
    var tls = TLSConfiguration()
}

/// A loaded image.
struct LoadedImage: Sendable {
    let cacheType: CacheType
    /// The source's own bytes, or after steps what the cache keeps of their result; nil without a cache.
    let file: Data?
    /// The image, where it was decoded for this run.
    let decoded: Image?

    /// The image. An animation is decoded from its file where there is one: the frames of the other would go
    /// through the steps again.
    func image() throws(ImageCodecError) -> Image {
        if let decoded, file == nil || !decoded.isAnimation { return decoded }
        return try Image.decode(file ?? Data())
    }
}

/// Loads images through a manager of its own.
struct ImageLoader: Sendable {
    private let manager: KingfisherManager
    private let options: LoadingOptions

    /// Throws when the folder given for the cache cannot be made. The user's own folder for caches may be
    /// missing; then nothing is kept on disk.
    init(_ options: LoadingOptions) throws {
        let cache =
            if let path = options.cacheFolder {
                try ImageCache(
                    name: CacheFolder.name,
                    cacheDirectoryURL: URL(filePath: path, directoryHint: .isDirectory))
            } else {
                ImageCache(name: CacheFolder.name)
            }
        let downloader = ImageDownloader(name: "kingfisher")
        downloader.tlsConfiguration = options.tls
        manager = KingfisherManager(downloader: downloader, cache: cache)
        self.options = options
    }

    func load(
        _ text: String, progress: @escaping @Sendable (_ received: Int64, _ expected: Int64) -> Void
    ) async throws -> LoadedImage {
        let argument = try SourceArgument(text, relativeTo: .currentFolder)
        let managerOptions = managerOptions(for: argument)
        // Without a cache nothing has a use for the file that it would keep.
        if options.noCache, !options.steps.isEmpty {
            let result = try await manager.retrieveImage(
                with: argument.source, options: managerOptions, progressBlock: progress)
            return LoadedImage(cacheType: result.cacheType, file: nil, decoded: result.image)
        }
        let result = try await manager.retrieveData(
            with: argument.source, options: managerOptions, progressBlock: progress)
        return LoadedImage(cacheType: result.cacheType, file: result.data, decoded: result.image)
    }

    private func managerOptions(for argument: SourceArgument) -> KingfisherOptionsInfo {
        // The process ends with its last image, so what is to be cached must be on disk by then.
        var result: KingfisherOptionsInfo = [.callbackQueue(.untouch), .waitForCache]
        if options.noCache { result += [.cacheMemoryOnly, .forceRefresh] }
        if options.refresh { result.append(.forceRefresh) }
        if options.onlyFromCache { result.append(.onlyFromCache) }
        if let processor = options.steps.processor {
            result += [.processor(processor), .cacheSerializer(ProcessedImageSerializer())]
            if options.processesAllFrames { result.append(.processesAnimatedFrames) }
            if case .remote = argument { result.append(.cacheOriginalImage) }
        } else {
            var serializer = DefaultCacheSerializer()
            serializer.preferCacheOriginalData = true
            result.append(.cacheSerializer(serializer))
        }
        return result
    }
}
