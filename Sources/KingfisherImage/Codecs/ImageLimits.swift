import Synchronization

/// What a file may ask for before it is refused, checked from its header before memory is taken.
///
/// Limits belong to a `DecodingContext`. Outside of one those of the process hold, for every format and for
/// drawing; set them before the first load. Safe from any thread: what is being decoded meanwhile is held to
/// the old limit or to the new one.
///
///     ImageLimits.maximumPixels = 24_000_000  // of the process
///     let context = DecodingContext(limits: ImageLimits(maximumPixels: 24_000_000))
public struct ImageLimits: Hashable, Sendable {
    /// Pixels of one frame. A file with more is `ImageCodecError.tooLarge`.
    public var maximumPixels: Int
    /// Frames of an animation. A file with more is `ImageCodecError.tooManyFrames`.
    public var maximumFrames: Int
    /// Pixels of all frames of an animation together, each as large as the canvas. A file with more is
    /// `ImageCodecError.tooManyAnimationPixels` where its frames are wanted; its first frame can still be
    /// had.
    public var maximumAnimationPixels: Int
    /// Bytes held for one image: its rows, what a decoder needs beside them, the canvases that compose an
    /// animation's frame, or all its frames where they are decoded beforehand.
    ///
    /// An image that takes more is `ImageCodecError.tooMuchMemory`; frames that would are decoded on demand.
    public var maximumFrameBytes: Int
    /// Bytes of metadata (profiles, comments, text, thumbnails), as they are in the file and expanded. A file
    /// with more is `ImageCodecError.tooMuchMetadata`.
    public var maximumMetadataBytes: Int

    /// The limits of a process that sets none, but for those that are given: 100 million pixels, 10,000
    /// frames, 2,500 million pixels of an animation, 1 GiB, and 16 MiB of metadata.
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

    /// Pixels along a side that a resampling filter covers or makes, or that is blurred: either
    /// takes dozens of bytes for each.
    public static let maximumFilteredSide = 1 << 20
}

/// The limits of the process, and those that hold now.
extension ImageLimits {
    /// Pixels of one frame: the limit of the current `DecodingContext` when read, else of the process.
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

    private static var scoped: ImageLimits? { DecodingContext.current?.limits }

    private static let pixels = Atomic(100_000_000)
    private static let frames = Atomic(10_000)
    private static let animationPixels = Atomic(2_500_000_000)
    private static let frameBytes = Atomic(1 << 30)
    private static let metadataBytes = Atomic(16 << 20)
}

extension ImageLimits {
    /// Throws `tooLarge` when `size` is empty or above the limit for a frame.
    public static func check(_ size: PixelSize) throws(ImageCodecError) {
        guard !size.isEmpty, size.area <= maximumPixels else {
            throw .tooLarge(width: size.width, height: size.height)
        }
    }

    /// Throws `tooMuchMemory` also when the rows would take more than `maximumFrameBytes`: they are padded,
    /// so that an image one pixel wide takes many times the memory that its pixels make one expect.
    public static func check(_ size: PixelSize, format: PixelFormat) throws(ImageCodecError) {
        try check(size)
        guard PixelBuffer.byteCount(of: size, format: format) <= maximumFrameBytes else {
            throw .tooMuchMemory
        }
    }

    /// Throws `tooMuchMemory` when an image's bytes and those held beside them are together above the limit.
    public static func check(frameBytes: Int, beside others: Int) throws(ImageCodecError) {
        guard others <= maximumFrameBytes - frameBytes else { throw .tooMuchMemory }
    }

    /// Throws `tooMuchMemory` for the canvas of an animation when four images of its size would take more
    /// than `maximumFrameBytes`: the first frame is there as long as the animation, and three are held at
    /// once while another is composed and turned for showing.
    public static func check(canvas: PixelSize, format: PixelFormat) throws(ImageCodecError) {
        try check(canvas)
        guard PixelBuffer.byteCount(of: canvas, format: format) <= maximumFrameBytes / 4 else {
            throw .tooMuchMemory
        }
    }

    /// Throws `tooManyFrames` for a number above the limit.
    public static func check(frames: Int) throws(ImageCodecError) {
        guard frames <= maximumFrames else { throw .tooManyFrames }
    }

    /// Throws `tooManyAnimationPixels` where so many frames on a canvas of `size` are above the limit. A
    /// single frame is held to `maximumPixels` alone.
    public static func check(frames: Int, of size: PixelSize) throws(ImageCodecError) {
        guard frames > 1 else { return }
        let (pixels, overflow) = frames.multipliedReportingOverflow(by: size.area)
        guard !overflow, pixels <= maximumAnimationPixels else { throw .tooManyAnimationPixels }
    }

    /// Throws `tooMuchMetadata` for a number of bytes above the limit.
    public static func check(metadataBytes: Int) throws(ImageCodecError) {
        guard metadataBytes <= maximumMetadataBytes else { throw .tooMuchMetadata }
    }
}
