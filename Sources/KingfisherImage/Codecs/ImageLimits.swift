/// What a file may ask for before it is refused, checked from its header before memory is taken.
public enum ImageLimits {
    /// Pixels of one frame.
    public static let maximumPixels = 100_000_000
    /// Frames of an animation.
    public static let maximumFrames = 10_000
    /// Bytes of the frames of an animation that are decoded beforehand, and of what it takes to compose one.
    public static let maximumFrameBytes = 1 << 30
    /// Bytes of expanded metadata (profiles, comments, text).
    public static let maximumMetadataBytes = 16 << 20

    /// Pixels along a side that a resampling filter covers or makes: its table has dozens of bytes for each.
    public static let maximumFilteredSide = 1 << 20

    /// Throws `tooLarge` when `size` is empty or above the limit for a frame.
    public static func check(_ size: PixelSize) throws(ImageCodecError) {
        guard !size.isEmpty, size.area <= maximumPixels else {
            throw .tooLarge(width: size.width, height: size.height)
        }
    }

    /// Throws `tooLarge` also when the rows would take more than `maximumFrameBytes`: they are padded, so
    /// that a picture one pixel wide takes many times the memory that its pixels make one expect.
    package static func check(_ size: PixelSize, format: PixelFormat) throws(ImageCodecError) {
        try check(size)
        guard PixelBuffer.byteCount(of: size, format: format) <= maximumFrameBytes else {
            throw .tooLarge(width: size.width, height: size.height)
        }
    }

    /// Throws `tooLarge` for the canvas of an animation when three pictures of its size would take more than
    /// `maximumFrameBytes`: that many are held at once while a frame is composed and turned for showing.
    package static func check(canvas: PixelSize, format: PixelFormat) throws(ImageCodecError) {
        try check(canvas, format: format)
        guard PixelBuffer.byteCount(of: canvas, format: format) <= maximumFrameBytes / 3 else {
            throw .tooLarge(width: canvas.width, height: canvas.height)
        }
    }
}
