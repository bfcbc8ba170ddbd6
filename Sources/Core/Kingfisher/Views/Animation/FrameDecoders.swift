import Foundation
import KingfisherImage
import Synchronization

/// Decodes the frames of one animation at one size.
///
/// A frame builds on the previous ones, so decoding forwards is cheap and a jump is expensive. Players that
/// are far apart get separate decoders if memory allows.
final class FrameDecoders: Sendable {
    /// A jump of at least this many frames justifies another decoder.
    static let longJump = 8

    private struct Decoder {
        let frames: any ImageFrameSource
        var next = 0

        /// The number of frames to compose for the one at `index`. Going back restarts at the first frame.
        func cost(of index: Int) -> Int {
            index >= next ? index - next + 1 : index + 1
        }
    }

    /// Also keeps the identity of `FrameLedger.Key` unique: as long as it lives, no other object has its
    /// address.
    private let source: any ImageFrameSource
    private let image: Image
    private let maxSize: CGSize?
    /// The bytes of one decoder: the canvas, and the content below the next frame.
    let bytesEach: Int
    private struct State {
        var idle: [Decoder] = []
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

    var bytes: Int { state.withLock(\.count) * bytesEach }

    var idleBytes: Int { state.withLock(\.idle.count) * bytesEach }

    /// Releases decoders that are not in use. A player that continues must compose the previous frames again.
    func dropIdle() {
        state.withLock { state in
            state.count -= state.idle.count
            state.idle = []
        }
    }

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
