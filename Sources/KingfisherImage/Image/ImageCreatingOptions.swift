public import Foundation

/// How an image is made from a file's bytes.
public struct ImageCreatingOptions: Equatable, Sendable {
    /// Pixels per point.
    public var scale: CGFloat
    /// How long an animation lasts in seconds; 0 takes the file's own delays.
    public var duration: TimeInterval
    /// Whether every frame is decoded at once.
    public var preloadAll: Bool
    /// Whether only the first frame is shown.
    public var onlyFirstFrame: Bool
    /// Whether a file that ends early shows what arrived of it, instead of being an error.
    ///
    /// Stills show the rows that arrived, a progressive JPEG the scans; animations their complete frames, or
    /// the rows of the first. An animated PNG without two complete frames, or whose chunks are out of
    /// sequence, shows its default image. Formats of other packages may do the same (`ImageCodec`).
    public var acceptsPartialImages = false

    /// The file's own duration and frames on demand, unless said otherwise; whole files only.
    public init(
        scale: CGFloat = 1.0, duration: TimeInterval = 0.0, preloadAll: Bool = false,
        onlyFirstFrame: Bool = false
    ) {
        self.scale = scale
        self.duration = duration
        self.preloadAll = preloadAll
        self.onlyFirstFrame = onlyFirstFrame
    }

    /// What of them counts for an animation that is there: its frames are whole.
    package var ofAnimation: ImageCreatingOptions {
        var options = self
        options.acceptsPartialImages = false
        return options
    }
}
