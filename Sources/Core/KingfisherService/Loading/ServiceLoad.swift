public import Foundation
public import Kingfisher
import KingfisherDigests
public import KingfisherImage

/// What a manager loads for a request: a source, and the options that make and cache the result.
public struct ServiceLoad: Sendable {
    /// What requests need besides their URLs.
    public struct Resources: Sendable {
        /// The images of `watermark` steps by name.
        public var watermarks: [String: WatermarkImageProcessor.Mark] = [:]
        /// The files of the images that `fallback` names, by name.
        public var fallbacks: [String: URL] = [:]
        /// The folder of `local` sources.
        public var folder: ImageFolder?
        /// The service with the buckets of `s3` sources.
        public var buckets: S3Source?
        /// The largest file of a `local` source in bytes; downloaders have their own limits.
        public var maximumSourceBytes = 32 << 20
        /// Which frames a result has if the URL does not say.
        public var frames = ServiceOptions.Frames.first
        /// The quality of formats, 1...100.
        public var qualities: [ImageFormat: Int] = [:]
        /// When results are written as AVIF and JPEG XL.
        public var slowFormats = SlowFormats()

        /// Creates resources without images, folder and buckets.
        public init() {}
    }

    /// The source, with the key of its version.
    public let source: Source
    /// For `KingfisherManager.retrieveData`. The original is cached also, for results of other sizes, unless
    /// it is an upload. Both have the tags of the request and ``ServiceSource/cacheTag``.
    public let options: KingfisherOptionsInfo
    /// Whether a step draws text, for which a codec of SVG is needed.
    public let drawsText: Bool
    /// Makes the options of `final`.
    private let finalOptions: (@Sendable () -> KingfisherOptionsInfo)?
    private let slowFormats: SlowFormats

    /// Throws 404 for a source that these resources do not have, and 400 for an unknown watermark.
    ///
    /// - Parameter upload: The body of a POST, for the source `upload`.
    public init(
        _ request: ServiceRequest, accept: AcceptHeader, _ negotiation: FormatNegotiation,
        _ resources: Resources = Resources(), upload: Data? = nil
    ) throws(ServiceError) {
        let source = try Self.source(of: request, resources, upload)
        try self.init(source, request, accept: accept, negotiation, resources)
    }

    private init(
        _ source: Source, _ request: ServiceRequest, accept: AcceptHeader, _ negotiation: FormatNegotiation,
        _ resources: Resources
    ) throws(ServiceError) {
        let steps = request.steps.map(\.step)
        (self.source, drawsText) = (source, steps.contains { $0.processor is TextImageProcessor })
        guard steps.watermarkNames.isSubset(of: resources.watermarks.keys) else {
            throw ServiceError(400, "A watermark is unknown.")
        }
        let isImage = request.kind == .image
        let hasAllFrames = isImage && (request.options.frames ?? resources.frames) == .all
        let accepted = negotiation.acceptClass(accept, mayAnimate: hasAllFrames)
        let (slow, isUpload) = (resources.slowFormats, request.source == .upload)
        let rest: KingfisherOptionsInfo =
            [
                .tags(request.options.tags + [request.source.cacheTag].compactMap { $0 }),
                hasAllFrames ? .processesAnimatedFrames : .onlyLoadFirstFrame,
            ] + (isUpload ? [] : [.cacheOriginalImage]) + Self.downloader(of: request, resources)
        @Sendable func result(slowPixels: Int, isLate: Bool = false) -> KingfisherOptionsInfo {
            let serializer = ServiceSerializer(
                request, for: accepted, negotiation, hasAllFrames: hasAllFrames,
                qualities: resources.qualities, slowPixels: slowPixels, isLate: isLate)
            let last = ResultProcessor(identifier: serializer.identifier)
            let processor = steps.processor(watermarks: resources.watermarks).map { $0 |> last } ?? last
            return [.processor(processor), .cacheSerializer(serializer)] + rest
        }
        slowFormats = slow
        guard isImage else {
            (options, finalOptions) = (Self.information(request.options) + rest, nil)
            return
        }
        // No later request has the result of an upload.
        let limit = isUpload ? slow.maximumPixels : min(slow.backgroundPixels, slow.maximumPixels)
        options = result(slowPixels: limit)
        if limit < slow.maximumPixels, request.slowFormat(for: accepted) != nil {
            finalOptions = { result(slowPixels: slow.maximumPixels, isLate: true) }
        } else {
            finalOptions = nil
        }
    }

    private static func information(_ options: ServiceOptions) -> KingfisherOptionsInfo {
        let serializer = InformationSerializer(options)
        let small = DownsamplingImageProcessor(size: InformationSerializer.box)
        let last = ResultProcessor(identifier: serializer.identifier)
        return [.processor(small |> last), .cacheSerializer(serializer)]
    }

    /// Identifies the result among all loads.
    public var key: String {
        source.cacheKey + "\u{0}" + KingfisherParsedOptionsInfo(options).processor.identifier
    }

    private init(_ source: Source, _ options: KingfisherOptionsInfo, drawsText: Bool) {
        (self.source, self.options, self.drawsText) = (source, options, drawsText)
        (finalOptions, slowFormats) = (nil, SlowFormats())
    }

    /// The load of the requested format, if this one may give another format because the requested one takes
    /// long; see ``isInterim(_:)``. Results of both are cached.
    public var final: ServiceLoad? {
        finalOptions.map { ServiceLoad(source, $0(), drawsText: drawsText) }
    }

    /// Whether a result of this load is in another format than requested, and ``final`` makes the requested
    /// one. Reads the header of the file.
    public func isInterim(_ result: RetrieveDataResult) -> Bool {
        guard finalOptions != nil, !SlowFormats.formats.contains(result.format),
            let header = try? ImageCodecs.open(result.data).header
        else { return false }
        return header.frameCount == 1 && slowFormats.postpones(header.size.area)
    }

    /// Why this load has failed with `error`: if it draws text, and `context`, in which it ran, cannot,
    /// ``ServiceFailureKind/cannotDrawText``. Draws a letter then.
    public func cause(of error: any Error, in context: DecodingContext?) -> any Error {
        guard drawsText, case KingfisherError.processorError = error else { return error }
        let context = context ?? DecodingContext()
        return context.run { TextImageProcessor.fault } == nil ? error : ServiceFailure(.cannotDrawText)
    }

    /// The load of the request's fallback image with the same steps; nil if it names none of `resources`.
    public static func fallback(
        for request: ServiceRequest, accept: AcceptHeader, _ negotiation: FormatNegotiation,
        _ resources: Resources
    ) throws(ServiceError) -> ServiceLoad? {
        guard let name = request.options.fallback, let file = resources.fallbacks[name] else { return nil }
        let provider = LocalFileImageDataProvider(fileURL: file, cacheKey: "\u{1}fallback \(name)")
        return try ServiceLoad(.provider(provider), request, accept: accept, negotiation, resources)
    }

    /// The key is the URL, unless the request names a version: another version is another source.
    private static func source(
        of request: ServiceRequest, _ resources: Resources, _ upload: Data?
    ) throws(ServiceError) -> Source {
        // No URL and no path contains this character.
        let suffix = request.options.version.map { "\u{1}version \($0)" } ?? ""
        switch request.source {
        case .http(let url):
            return .network(KF.ImageResource(downloadURL: url, cacheKey: url.cacheKey + suffix))
        case .local(let path):
            guard let folder = resources.folder else { break }
            var provider = FolderImageDataProvider(
                folder, path: path, maximumBytes: resources.maximumSourceBytes)
            provider.cacheKey += suffix
            return .provider(provider)
        case .s3(let bucket, let key, let versionID):
            guard let buckets = resources.buckets else { break }
            let object = try buckets.object(bucket: bucket, key: key, versionID: versionID)
            return .network(
                KF.ImageResource(downloadURL: object.downloadURL, cacheKey: object.cacheKey + suffix))
        case .upload:
            guard let upload else { break }
            let key = "upload \(upload.withUnsafeBytes { SHA256.hexDigest(of: $0) })"
            return .provider(RawImageDataProvider(data: upload, cacheKey: key + suffix))
        }
        throw ServiceError(404, "This service does not read such sources.")
    }

    /// Objects of buckets have a downloader of their own.
    private static func downloader(
        of request: ServiceRequest, _ resources: Resources
    ) -> KingfisherOptionsInfo {
        guard case .s3 = request.source, let buckets = resources.buckets else { return [] }
        return [.downloader(buckets.downloader)]
    }
}

/// Changes nothing. Its identifier tells results in other encodings apart, and a result without steps from
/// its original, which all results share.
private struct ResultProcessor: ImageFileProcessor {
    let identifier: String

    init(identifier: String) { self.identifier = "KingfisherService.ResultProcessor(\(identifier))" }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image
        case .data: DefaultImageProcessor.default.process(item: item, options: options)
        }
    }
}

extension ServiceResult {
    /// The facts about a loaded file, with the freshness of its source.
    public init(_ kind: Kind = .final, of result: RetrieveDataResult) {
        let freshness = result.freshness
        self.init(
            kind, lastModified: freshness?.lastModified.map { Int($0.timeIntervalSince1970) },
            sourceLifetime: freshness.map { Int(min($0.remaining, 1e9)) })
    }
}

extension ServiceRequest {
    /// The slow format that clients of a class get, regardless of the source.
    fileprivate func slowFormat(for accepted: AcceptClass) -> ImageFormat? {
        let format: ImageFormat? =
            switch options.format {
            case .exactly(let format): format
            case .negotiated: isNegotiable ? accepted.still : nil
            // Depends on the source: a large AVIF is given as JPEG.
            case .original: nil
            }
        return format.flatMap { SlowFormats.formats.contains($0) ? $0 : nil }
    }
}
