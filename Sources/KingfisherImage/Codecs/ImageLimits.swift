import Synchronization

/// What a file may ask for before it is refused, checked from its header before memory is taken.
///
/// The limits are the process's, for every format and for drawing; set them before the first load. Safe from
/// any thread: what is being decoded meanwhile is held to the old limit or to the new one.
///
///     ImageLimits.maximumPixels = 24_000_000
public enum ImageLimits {
    /// Pixels of one frame; 100 million unless set. A file with more is `ImageCodecError.tooLarge`.
    public static var maximumPixels: Int {
        get { scoped?.pixels ?? pixels.load(ordering: .relaxed) }
        set { pixels.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Frames of an animation; 10,000 unless set. A file with more is `ImageCodecError.tooManyFrames`.
    public static var maximumFrames: Int {
        get { scoped?.frames ?? frames.load(ordering: .relaxed) }
        set { frames.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Pixels of all frames of an animation together, each as large as the canvas; 2,500 million unless set.
    /// A file with more is `ImageCodecError.tooManyAnimationPixels` where its frames are wanted; its first
    /// frame can still be had.
    public static var maximumAnimationPixels: Int {
        get { scoped?.animationPixels ?? animationPixels.load(ordering: .relaxed) }
        set { animationPixels.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Bytes held for one picture: its rows, what a decoder needs beside them, the canvases that compose an
    /// animation's frame, or all its frames where they are decoded beforehand; 1 GiB unless set.
    ///
    /// A picture that takes more is `ImageCodecError.tooMuchMemory`; frames that would are decoded on demand.
    public static var maximumFrameBytes: Int {
        get { scoped?.frameBytes ?? frameBytes.load(ordering: .relaxed) }
        set { frameBytes.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Bytes of metadata (profiles, comments, text, thumbnails), as they stand in the file and expanded;
    /// 16 MiB unless set. A file with more is `ImageCodecError.tooMuchMetadata`.
    public static var maximumMetadataBytes: Int {
        get { scoped?.metadataBytes ?? metadataBytes.load(ordering: .relaxed) }
        set { metadataBytes.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Pixels along a side that a resampling filter covers or makes, or that is blurred: either
    /// takes dozens of bytes for each.
    public static let maximumFilteredSide = 1 << 20

    private static let pixels = Atomic(100_000_000)
    private static let frames = Atomic(10_000)
    private static let animationPixels = Atomic(2_500_000_000)
    private static let frameBytes = Atomic(1 << 30)
    private static let metadataBytes = Atomic(16 << 20)

    /// Other limits for what a task calls, so that tests can lower them without disturbing each other.
    @TaskLocal package static var scoped: Scoped?

    /// The limits that differ from the process's.
    package struct Scoped: Sendable {
        package var pixels: Int?
        package var frames: Int?
        package var animationPixels: Int?
        package var frameBytes: Int?
        package var metadataBytes: Int?

        package init() {}
    }
}

extension ImageLimits {
    /// Throws `tooLarge` when `size` is empty or above the limit for a frame.
    public static func check(_ size: PixelSize) throws(ImageCodecError) {
        guard !size.isEmpty, size.area <= maximumPixels else {
            throw .tooLarge(width: size.width, height: size.height)
        }
    }

    /// Throws `tooMuchMemory` also when the rows would take more than `maximumFrameBytes`: they are padded,
    /// so that a picture one pixel wide takes many times the memory that its pixels make one expect.
    public static func check(_ size: PixelSize, format: PixelFormat) throws(ImageCodecError) {
        try check(size)
        guard PixelBuffer.byteCount(of: size, format: format) <= maximumFrameBytes else {
            throw .tooMuchMemory
        }
    }

    /// Throws `tooMuchMemory` when a picture's bytes and those held beside them are together above the limit.
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
