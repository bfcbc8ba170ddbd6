public import Foundation

/// How an image is made from a file's bytes.
public struct ImageCreatingOptions: Equatable, Sendable {
    /// Pixels per point.
    public var scale: CGFloat
    /// The duration of one loop of an animation in seconds; 0 takes the file's delays.
    public var duration: TimeInterval
    /// Whether every frame is decoded immediately.
    public var preloadAll: Bool
    /// Whether only the first frame is shown.
    public var onlyFirstFrame: Bool
    /// Whether a truncated file is decoded as far as possible instead of failing.
    ///
    /// Stills show the rows that were decoded, a progressive JPEG the scans; animations show their complete
    /// frames, or the rows of the first. An animated PNG with fewer than two complete frames, or with chunks
    /// out of sequence, shows its default image. Formats of other packages may do the same (`ImageCodec`).
    public var acceptsPartialImages = false

    /// Creates options; by default, the file's delays, frames on demand, and complete files only.
    public init(
        scale: CGFloat = 1.0, duration: TimeInterval = 0.0, preloadAll: Bool = false,
        onlyFirstFrame: Bool = false
    ) {
        self.scale = scale
        self.duration = duration
        self.preloadAll = preloadAll
        self.onlyFirstFrame = onlyFirstFrame
    }

    /// The options that still apply once the animation is decoded: its frames are complete.
    package var ofAnimation: ImageCreatingOptions {
        var options = self
        options.acceptsPartialImages = false
        return options
    }
}
