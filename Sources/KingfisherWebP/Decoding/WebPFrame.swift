import CWebP
import Foundation
import KingfisherCodecSupport

/// One frame of an animation, or the image of a still.
struct WebPFrame: Hashable, Sendable {
    /// Where its bitstream lies: a VP8 or VP8L chunk, with the ALPH chunk before it.
    let fragment: WebPChunk
    let left: Int
    let top: Int
    let size: PixelSize
    /// How long the frame is shown, in seconds.
    let duration: TimeInterval
    /// Whether its place is cleared before the next frame is drawn.
    let disposesToBackground: Bool
    /// Whether it is drawn over what its place showed before, instead of replacing it.
    let blends: Bool
    /// Whether it has pixels that are not opaque, as its bitstream says.
    let hasAlpha: Bool
    /// Whether its bitstream is a VP8L chunk.
    let isLossless: Bool

    /// What libwebpdemux found; throws `corrupt` for what is not all there, and for a place that is not all
    /// on `canvas`.
    init(
        _ iterator: WebPIterator, in file: ByteReader, canvas: PixelSize
    ) throws(ImageCodecError) {
        guard iterator.complete != 0, let fragment = WebPChunk(iterator.fragment, in: file) else {
            throw .corrupt("an incomplete frame")
        }
        self.fragment = fragment
        left = Int(iterator.x_offset)
        top = Int(iterator.y_offset)
        size = PixelSize(width: Int(iterator.width), height: Int(iterator.height))
        duration = FrameDelay.shown(Double(iterator.duration) / 1000)
        disposesToBackground = iterator.dispose_method == WEBP_MUX_DISPOSE_BACKGROUND
        blends = iterator.blend_method == WEBP_MUX_BLEND
        hasAlpha = iterator.has_alpha != 0
        isLossless = file.has("VP8L", at: fragment.offset)
        // Rows are written at these places through a pointer.
        guard left >= 0, top >= 0, !size.isEmpty, right <= canvas.width, top + size.height <= canvas.height
        else { throw .corrupt("a frame outside the canvas") }
    }

    /// Whether the ANMF chunk, whose fields end where the bitstream begins, names the bitstream's size;
    /// libwebpdemux does not ask.
    func isDescribedTruly(in file: ByteReader) -> Bool {
        func side(before distance: Int) -> Int? {
            // Three bytes; the one in front of them belongs to another field.
            file.uint32(at: fragment.offset - distance - 1, bigEndian: false).map { ($0 >> 8) + 1 }
        }
        return side(before: 10) == size.width && side(before: 7) == size.height
    }

    var right: Int { left + size.width }
    var rows: Range<Int> { top..<top + size.height }

    /// Whether the frame covers the whole canvas.
    func fills(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && size == canvas
    }
}
