import Foundation
import KingfisherImage
import Synchronization

/// Decodes the frames of one animation at one size.
///
/// A frame builds on the ones before, so a decoder is cheap going forwards and dear when it jumps. Players
/// far apart that share one would throw it to and fro: each may get its own, where memory allows.
final class FrameDecoders: Sendable {
    /// A jump of so many frames is worth a decoder of its own.
    static let longJump = 8

    private struct Decoder {
        let frames: any ImageFrameSource
        /// The frame that costs one step.
        var next = 0

        /// Frames to be composed for the one at `index`; back at the start nothing is before it.
        func cost(of index: Int) -> Int {
            index >= next ? index - next + 1 : index + 1
        }
    }

    /// Kept also for what it identifies: as long as it lives, no other can have its address.
    private let source: any ImageFrameSource
    private let image: Image
    private let maxSize: CGSize?
    /// Bytes that a decoder needs for itself: the canvas, and what the next frame is drawn over.
    let bytesEach: Int
    private struct State {
        var idle: [Decoder] = []
        /// Decoders that there are, those at work included.
        var count = 0
    }

    private let state = Mutex(State())

    init(_ source: any ImageFrameSource, of image: Image, size: PixelSize?) {
        self.source = source
        self.image = image
        maxSize = size.map { CGSize(width: $0.width, height: $0.height) }
        let canvas = (source as? ProcessedFrameSource)?.originalFrameBytes ?? image.pixels?.byteCount
        bytesEach = 2 * (canvas ?? 0)
    }

    /// Bytes that the decoders need, those at work included.
    var bytes: Int { state.withLock(\.count) * bytesEach }

    /// Bytes that would be had by letting go of the decoders that are not at work.
    var idleBytes: Int { state.withLock(\.idle.count) * bytesEach }

    /// Lets go of the decoders that are not at work. Whoever plays on has one compose anew what the next
    /// frame builds on.
    func dropIdle() {
        state.withLock { state in
            state.count -= state.idle.count
            state.idle = []
        }
    }

    /// Decodes a frame on the caller's thread; nil when it is broken.
    func frame(at index: Int, mayAdd: Bool) -> PixelBuffer? {
        let taken = state.withLock { state -> Decoder? in
            let idle = state.idle
            guard let best = idle.indices.min(by: { idle[$0].cost(of: index) < idle[$1].cost(of: index) }),
                !mayAdd || idle[best].cost(of: index) <= Self.longJump
            else {
                state.count += 1
                return nil
            }
            return state.idle.remove(at: best)
        }
        var decoder = taken ?? Decoder(frames: source.playingCopy)
        let pixels = decoder.frames.frame(at: index, maxSize: maxSize)
        decoder.next = index + 1
        state.withLock { [decoder] in $0.idle.append(decoder) }
        return pixels
    }
}
