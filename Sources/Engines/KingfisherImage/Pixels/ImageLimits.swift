import Synchronization

/// The limits for a file, checked from its header before memory is allocated.
///
/// Limits belong to a `DecodingContext`. Without one, the process's limits apply, to every format and to
/// drawing; set them before the first load. Safe from any thread: a concurrent decode uses either the old or
/// the new limit.
///
///     ImageLimits.maximumPixels = 24_000_000  // of the process
///     let context = DecodingContext(limits: ImageLimits(maximumPixels: 24_000_000))
public struct ImageLimits: Hashable, Sendable {
    /// Pixels of one frame. A file with more is `ImageCodecError.tooLarge`.
    public var maximumPixels: Int
    /// Frames of an animation. A file with more is `ImageCodecError.tooManyFrames`.
    public var maximumFrames: Int
    /// Pixels of all frames of an animation together, each as large as the canvas. For a file with more,
    /// requesting all frames fails with `ImageCodecError.tooManyAnimationPixels`; its first frame can still
    /// be decoded.
    public var maximumAnimationPixels: Int
    /// Bytes held for one image: its rows and the decoder's working memory, the canvases that compose an
    /// animation's frame, or all frames if they are preloaded.
    ///
    /// An image that needs more fails with `ImageCodecError.tooMuchMemory`; an animation is decoded on demand
    /// instead of preloaded.
    public var maximumFrameBytes: Int
    /// Bytes of metadata (profiles, comments, text, thumbnails), as stored and as decompressed. A file with
    /// more is `ImageCodecError.tooMuchMetadata`.
    public var maximumMetadataBytes: Int

    /// Creates limits. The defaults are the process's defaults: 100 million pixels, 10,000 frames, 2,500
    /// million pixels of an animation, 1 GiB, and 16 MiB of metadata.
    public init(
        maximumPixels: Int = 100_000_000, maximumFrames: Int = 10_000,
        maximumAnimationPixels: Int = 2_500_000_000, maximumFrameBytes: Int = 1 << 30,
        maximumMetadataBytes: Int = 16 << 20
    ) {
        self.maximumPixels = maximumPixels
        self.maximumFrames = maximumFrames
        self.maximumAnimationPixels = maximumAnimationPixels
        self.maximumFrameBytes = maximumFrameBytes
        self.maximumMetadataBytes = maximumMetadataBytes
    }

    /// The maximum side in pixels of the input or output of a resampling filter or blur, which need dozens of
    /// bytes for each pixel along it.
    public static let maximumFilteredSide = 1 << 20
}

/// The limits of the process; reading returns the limits of the current context, if any.
extension ImageLimits {
    /// Pixels of one frame: reading returns the limit of the current `DecodingContext`, or else of the
    /// process.
    public static var maximumPixels: Int {
        get { scoped?.maximumPixels ?? pixels.load(ordering: .relaxed) }
        set { pixels.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Frames of an animation, as `maximumPixels`.
    public static var maximumFrames: Int {
        get { scoped?.maximumFrames ?? frames.load(ordering: .relaxed) }
        set { frames.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Pixels of all frames of an animation together, as `maximumPixels`.
    public static var maximumAnimationPixels: Int {
        get { scoped?.maximumAnimationPixels ?? animationPixels.load(ordering: .relaxed) }
        set { animationPixels.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Bytes held for one image, as `maximumPixels`.
    public static var maximumFrameBytes: Int {
        get { scoped?.maximumFrameBytes ?? frameBytes.load(ordering: .relaxed) }
        set { frameBytes.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Bytes of metadata, as `maximumPixels`.
    public static var maximumMetadataBytes: Int {
        get { scoped?.maximumMetadataBytes ?? metadataBytes.load(ordering: .relaxed) }
        set { metadataBytes.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// The limits of the current `DecodingContext`, which sets them together with itself.
    @TaskLocal static var scoped: ImageLimits?

    private static let pixels = Atomic(100_000_000)
    private static let frames = Atomic(10_000)
    private static let animationPixels = Atomic(2_500_000_000)
    private static let frameBytes = Atomic(1 << 30)
    private static let metadataBytes = Atomic(16 << 20)
}

extension ImageLimits {
    /// The limits of the current `DecodingContext`, or else of the process.
    public static var current: ImageLimits {
        scoped
            ?? ImageLimits(
                maximumPixels: maximumPixels, maximumFrames: maximumFrames,
                maximumAnimationPixels: maximumAnimationPixels, maximumFrameBytes: maximumFrameBytes,
                maximumMetadataBytes: maximumMetadataBytes)
    }

    /// Throws `tooLarge` if `size` is empty or above the limit for a frame.
    public func check(_ size: PixelSize) throws(ImageCodecError) {
        guard !size.isEmpty, size.area <= maximumPixels else {
            throw .tooLarge(width: size.width, height: size.height)
        }
    }

    /// Throws `tooLarge` as `check(_:)` does, and `tooMuchMemory` if the rows would exceed
    /// `maximumFrameBytes`: rows are padded, so an image that is one pixel wide takes many times the memory
    /// of its pixels.
    public func check(_ size: PixelSize, format: PixelFormat) throws(ImageCodecError) {
        try check(size)
        guard PixelBuffer.byteCount(of: size, format: format) <= maximumFrameBytes else {
            throw .tooMuchMemory
        }
    }

    /// Throws `tooMuchMemory` if an image's bytes and the additional bytes together exceed the limit.
    public func check(frameBytes: Int, beside others: Int) throws(ImageCodecError) {
        guard others <= maximumFrameBytes - frameBytes else { throw .tooMuchMemory }
    }

    /// Throws `tooMuchMemory` for the canvas of an animation if four images of its size would exceed
    /// `maximumFrameBytes`: the first frame stays in memory, and composing and presenting another frame takes
    /// three more.
    public func check(canvas: PixelSize, format: PixelFormat) throws(ImageCodecError) {
        try check(canvas)
        guard PixelBuffer.byteCount(of: canvas, format: format) <= maximumFrameBytes / 4 else {
            throw .tooMuchMemory
        }
    }

    /// Throws `tooManyFrames` if `frames` exceeds the limit.
    public func check(frames: Int) throws(ImageCodecError) {
        guard frames <= maximumFrames else { throw .tooManyFrames }
    }

    /// Throws `tooManyAnimationPixels` if `frames` frames of `size` exceed the limit. A single frame is
    /// limited only by `maximumPixels`.
    public func check(frames: Int, of size: PixelSize) throws(ImageCodecError) {
        guard frames > 1 else { return }
        let (pixels, overflow) = frames.multipliedReportingOverflow(by: size.area)
        guard !overflow, pixels <= maximumAnimationPixels else { throw .tooManyAnimationPixels }
    }

    /// Throws `tooMuchMetadata` if `metadataBytes` exceeds the limit.
    public func check(metadataBytes: Int) throws(ImageCodecError) {
        guard metadataBytes <= maximumMetadataBytes else { throw .tooMuchMetadata }
    }
}
