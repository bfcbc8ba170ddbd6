public import Foundation
import Synchronization

/// The frames of an animated file, composed on demand by a `FrameCompositor`.
///
/// Playing forwards composes one frame per call. Seeking backwards starts from the nearest key frame or from
/// one of a few cached canvases. Safe from any thread; calls are serialized.
public final class ComposedFrameSource<Compositor: FrameCompositor>: PlayableFrameSource {
    private let file: EncodedFile
    private let compositor: Compositor
    private let playhead: Mutex<FramePlayhead<Compositor>>
    private let context = DecodingContext.current

    /// Creates a source for `file`, drawn by a `compositor` that was made from the same bytes.
    public convenience init(_ file: EncodedFile, _ compositor: Compositor) {
        self.init(file, compositor, keepsCheckpoints: true)
    }

    private init(_ file: EncodedFile, _ compositor: Compositor, keepsCheckpoints: Bool) {
        self.file = file
        self.compositor = compositor
        playhead = Mutex(FramePlayhead(compositor, keepsCheckpoints: keepsCheckpoints))
    }

    public var data: Data? { file.data }
    public var frameCount: Int { compositor.timing.durations.count }
    public var loopCount: Int { compositor.timing.loopCount }

    /// The composed frame at full size, upright and in sRGB; throws if it cannot be decoded.
    public func composedFrame(at number: Int) throws(ImageCodecError) -> PixelBuffer {
        guard (0..<frameCount).contains(number) else { throw .corrupt("no frame \(number)") }
        return try context.run { () throws(ImageCodecError) in
            try playhead.withLock { playhead throws(ImageCodecError) in
                try file.reading { reader throws(ImageCodecError) in
                    try playhead.frame(at: number, of: reader)
                }
            }
        }
    }

    /// Throws `tooManyAnimationPixels` if there is more than one frame and the pixels of all frames exceed
    /// `maximumAnimationPixels` of the file's limits.
    public func checkPixels() throws(ImageCodecError) {
        try file.limits.check(frames: frameCount, of: compositor.canvas)
    }

    public func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard let frame = try? composedFrame(at: index) else { return nil }
        guard let maxSize else { return frame }
        return try? frame.resized(to: frame.size.fitted(within: maxSize))
    }

    public func duration(at index: Int) -> TimeInterval {
        (0..<frameCount).contains(index) ? compositor.timing.durations[index] : 0
    }

    public func copy() -> ComposedFrameSource {
        context.run { ComposedFrameSource(file, compositor) }
    }

    package func copyForPlaying() -> ComposedFrameSource {
        context.run { ComposedFrameSource(file, compositor, keepsCheckpoints: false) }
    }

    package var canvasBytes: Int {
        playhead.withLock(\.canvasCount) * compositor.canvasBytes
    }
}

extension PixelSize {
    /// The size shrunk to at most `limit`, with the same aspect ratio and at least one pixel per side; never
    /// enlarged. A negative side of the limit counts as 0.
    public func fitted(within limit: CGSize) -> PixelSize {
        let ratio = min(max(limit.width, 0) / Double(width), max(limit.height, 0) / Double(height))
        guard ratio.isFinite, ratio < 1 else { return self }
        return PixelSize(
            width: max(1, Int((Double(width) * ratio).rounded())),
            height: max(1, Int((Double(height) * ratio).rounded())))
    }
}
