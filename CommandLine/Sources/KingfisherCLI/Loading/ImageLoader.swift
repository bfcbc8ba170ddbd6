import Foundation
import Glibc
import Kingfisher

struct LoadingOptions: Sendable {
    /// Runs the steps; nil without steps.
    var processor: (any ImageProcessor)?
    /// Whether steps apply to every frame of an animation rather than to the first frame only.
    var processesAllFrames = false
    /// The parent folder of the cache folder; nil for the user's cache directory.
    var cacheFolder: String?
    var noCache = false
    var refresh = false
    var onlyFromCache = false
    var keyRule: CacheKeyRule?
    var tls = TLSConfiguration()
    /// Options of every download.
    var request: KingfisherOptionsInfo = []
}

struct LoadedImage: Sendable {
    let cacheType: CacheType
    /// The source's bytes, or after steps the cached file of the result; nil without a cache.
    let file: Data?
    /// The steps that have run; nil without any.
    let processor: (any ImageProcessor)?
    /// The source's bytes, for its metadata and its gain map; nil if they are no longer available.
    let original: Data?
    /// The image, if it was decoded in this run.
    let decoded: Image?

    /// The image. An animation is decoded from its file if there is one: reading the frames of `decoded`
    /// would run the steps again.
    func image() throws(ImageCodecError) -> Image {
        if let decoded, file == nil || !decoded.isAnimation { return decoded }
        return try Image.decode(file ?? Data())
    }
}

/// Loads images through a separate `KingfisherManager`.
struct ImageLoader: Sendable {
    private let manager: KingfisherManager
    private let options: LoadingOptions

    /// Throws if the given cache folder cannot be created. If the user's cache directory cannot be used,
    /// nothing is cached on disk.
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
        // Several sources are loaded at a time; the manager's own queue processes one image after the other.
        let processing = DispatchQueue(label: "kingfisher.processing", attributes: .concurrent)
        manager.defaultOptions = [.processingQueue(.dispatch(processing))]
        manager.cacheKeyRule = options.keyRule
        self.options = options
    }

    func load(
        _ text: String, progress: @escaping @Sendable (_ received: Int64, _ expected: Int64) -> Void
    ) async throws -> LoadedImage {
        let argument = try SourceArgument(text, relativeTo: .currentFolder)
        let managerOptions = Self.managerOptions(options, for: argument)
        let source = argument.source { $0.send(through: manager.downloader, options.request) }
        // Without a cache, the encoded file would not be used.
        if options.noCache || argument == .standardInput, options.processor != nil {
            let result = try await manager.retrieveImage(
                with: source, options: managerOptions, progressBlock: progress)
            return LoadedImage(
                cacheType: result.cacheType, file: nil, processor: options.processor,
                original: result.data(), decoded: result.image)
        }
        let result = try await manager.retrieveData(
            with: source, options: managerOptions, progressBlock: progress)
        let original = options.processor == nil ? result.data : await original(of: argument)
        return LoadedImage(
            cacheType: result.cacheType, file: result.data, processor: options.processor,
            original: original, decoded: result.image)
    }

    /// The bytes of a source whose steps have run.
    private func original(of argument: SourceArgument) async -> Data? {
        switch argument {
        case .remote:
            // Cached by the first request, unless its result was cached and the original is not any more.
            var loading = options
            (loading.processor, loading.refresh) = (nil, false)
            let result = try? await manager.retrieveData(
                with: argument.source(), options: Self.managerOptions(loading, for: argument))
            return result?.data
        case .file(let url):
            // A pipe can be read only once.
            let isRegular = url.path.fileStatus.map { $0.st_mode & S_IFMT == S_IFREG } ?? false
            return isRegular ? try? InputFile.bytes(of: url.path) : nil
        case .inline(let bytes): return bytes
        // A frame is encoded by the library, without metadata.
        case .standardInput, .frame: return nil
        }
    }

    private static func managerOptions(
        _ options: LoadingOptions, for argument: SourceArgument
    ) -> KingfisherOptionsInfo {
        // The process exits after its last image, so cache writes must complete first.
        var result: KingfisherOptionsInfo = [.callbackQueue(.untouch), .waitForCache] + options.request
        if options.noCache || argument == .standardInput { result += [.cacheMemoryOnly, .forceRefresh] }
        if options.refresh { result.append(.forceRefresh) }
        if options.onlyFromCache { result.append(.onlyFromCache) }
        if let processor = options.processor {
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
