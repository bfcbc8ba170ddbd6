import Foundation

/// The options of a request, with the properties of ``OptionValues``.
///
///     var options = KingfisherParsedOptionsInfo([.processor(BlurImageProcessor(blurRadius: 4))])
///     options.onlyFromCache = true
@dynamicMemberLookup
public struct KingfisherParsedOptionsInfo: Sendable {
    private static let defaults = CopyOnWrite(wrappedValue: OptionValues())

    /// Setting a property copies all; `change` sets several with one copy.
    @CopyOnWrite private(set) var values: OptionValues

    /// Turns bytes into the image. Its identifier is part of the cache key.
    ///
    /// With `processesAnimatedFrames`, this is the framewise variant (`ImageProcessor.framewise`) of the
    /// processor that was set, except with `onlyLoadFirstFrame`.
    public var processor: any ImageProcessor {
        get {
            if self.onlyLoadFirstFrame {
                return (self.givenProcessor as? FramewiseImageProcessor)?.plain ?? self.givenProcessor
            }
            return self.processesAnimatedFrames ? self.givenProcessor.framewise : self.givenProcessor
        }
        set { self.givenProcessor = newValue }
    }
    var processorIdentifier: String {
        // Avoids `processor`, which copies, in the common case.
        self.processesAnimatedFrames || self.onlyLoadFirstFrame
            ? processor.identifier : self.givenProcessor.identifier
    }

    /// An option.
    // One subscript: with several, Swift would not open the existential of an option that is passed to a
    // generic function.
    @inline(__always)
    public subscript<Value>(dynamicMember option: WritableKeyPath<OptionValues, Value>) -> Value {
        _read { yield values[keyPath: option] }
        _modify { yield &values[keyPath: option] }
    }

    /// Applies the items in order. The original cache defaults to the target cache.
    public init(_ info: KingfisherOptionsInfo?) {
        _values = Self.defaults
        guard let info, !info.isEmpty else { return }
        change { $0.apply(info) }
    }

    init(
        _ defaults: KingfisherOptionsInfo, then own: KingfisherOptionsInfo, over cache: ImageCache,
        _ downloader: ImageDownloader
    ) {
        _values = Self.defaults
        change { values in
            (values.downloader, values.targetCache) = (downloader, cache)
            values.apply(defaults + own)
        }
    }

    mutating func change(_ body: (inout OptionValues) -> Void) { body(&values) }

    func encoding(of image: KFCrossPlatformImage) -> @Sendable () -> Data? {
        { self.decodingContext.run { self.cacheSerializer.data(with: image, original: nil) } }
    }

    /// Whether files hold the processed image; false if the serializer stores the original.
    var storesProcessedFiles: Bool { processor.identifier.isEmpty || !self.cacheSerializer.originalDataUsed }

    var readsDiskOnCallersThread: Bool { self.loadDiskFileSynchronously && !self.asyncCacheTypeCheck }

    /// How images are decoded with these options: the scale, the frames of an animation, and whether
    /// truncated files are accepted.
    public var imageCreatingOptions: ImageCreatingOptions {
        var options = ImageCreatingOptions(
            scale: self.scaleFactor, preloadAll: self.preloadAllAnimationData,
            onlyFirstFrame: self.onlyLoadFirstFrame)
        options.acceptsPartialImages = self.acceptsPartialImages
        return options
    }

    /// Whether an image of `data` may lack rows. No cache stores such an image.
    func isPartial(_ data: Data) -> Bool {
        self.acceptsPartialImages && self.decodingContext.run { ImageCodecs.endsEarly(data) }
    }
}
