package import Foundation
import Synchronization

/// The frames of a GIF, composed when they are asked for.
///
/// Playing forwards composes one frame a call; going back starts from the nearest key frame or checkpoint.
/// Safe from any thread; calls wait for each other.
package final class GIFFrameSource: PlayableFrameSource {
    package let data: Data?
    private let bytes: Data
    private let index: GIFIndex
    private let playhead: Mutex<GIFPlayhead>

    /// Reads the file's structure; throws when it is broken or above the limits.
    package convenience init(_ data: Data) throws(ImageCodecError) {
        self.init(data, index: try data.reading(GIFIndex.init(scanning:)))
    }

    private init(_ data: Data, index: GIFIndex, keepsCheckpoints: Bool = true) {
        self.data = data
        self.bytes = data
        self.index = index
        playhead = Mutex(GIFPlayhead(index, keepsCheckpoints: keepsCheckpoints))
    }

    package var frameCount: Int { index.frames.count }
    package var loopCount: Int { index.loopCount }

    /// The composed frame at its own size; throws why it cannot be had.
    package func composedFrame(at number: Int) throws(ImageCodecError) -> PixelBuffer {
        guard index.frames.indices.contains(number) else { throw .corrupt("no frame \(number)") }
        return try playhead.withLock { playhead throws(ImageCodecError) in
            try bytes.reading { reader throws(ImageCodecError) in
                try playhead.frame(at: number, with: GIFCompositor(reader: reader, index: index))
            }
        }
    }

    package func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard let frame = try? composedFrame(at: index) else { return nil }
        guard let maxSize else { return frame }
        return try? frame.resized(to: frame.size.fitted(within: maxSize))
    }

    package func duration(at index: Int) -> TimeInterval {
        self.index.frames.indices.contains(index)
            ? self.index.frames[index].control.delay : GIFControl.defaultDelay
    }

    package func copy() -> GIFFrameSource {
        GIFFrameSource(bytes, index: index)
    }

    package func copyForPlaying() -> GIFFrameSource {
        GIFFrameSource(bytes, index: index, keepsCheckpoints: false)
    }

    /// Bytes of the canvases that stay between two calls.
    package var canvasBytes: Int {
        playhead.withLock(\.canvasCount) * index.canvas.area * 4
    }
}

extension PixelSize {
    /// The same proportions, at most `limit` pixels on either side and at least one; never larger.
    func fitted(within limit: CGSize) -> PixelSize {
        let ratio = min(limit.width / Double(width), limit.height / Double(height))
        guard ratio.isFinite, ratio < 1 else { return self }
        return PixelSize(
            width: max(1, Int((Double(width) * ratio).rounded())),
            height: max(1, Int((Double(height) * ratio).rounded())))
    }
}
