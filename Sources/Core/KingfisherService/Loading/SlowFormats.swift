import KingfisherImage

/// When results are written as AVIF and JPEG XL, whose encoders take seconds for large images.
///
/// Animations are written at once in every format.
public struct SlowFormats: Hashable, Sendable {
    /// A result with more pixels is first given as JPEG, or as PNG if it is not opaque. ``ServiceLoad/final``
    /// makes the requested format.
    public var backgroundPixels = Int.max
    /// A result with more pixels is never written in these formats.
    public var maximumPixels = Int.max

    /// Creates limits that no image exceeds.
    public init() {}

    static let formats: Set<ImageFormat> = [ImageFormat(name: "AVIF"), ImageFormat(name: "JXL")]

    /// Whether a still with so many pixels is made in a slow format later.
    func postpones(_ pixels: Int) -> Bool { pixels > backgroundPixels && pixels <= maximumPixels }
}
