import CWebP
import Foundation
import KingfisherCodecSupport

struct WebPFrame: Hashable, Sendable {
    /// The position of its bitstream: a VP8 or VP8L chunk, preceded by its ALPH chunk.
    let fragment: WebPChunk
    let left: Int
    let top: Int
    let size: PixelSize
    let duration: TimeInterval
    let disposesToBackground: Bool
    let blends: Bool
    let hasAlpha: Bool
    let isLossless: Bool

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
        // Rows are written at these offsets through a pointer.
        guard left >= 0, top >= 0, !size.isEmpty, right <= canvas.width, top + size.height <= canvas.height
        else { throw .corrupt("a frame outside the canvas") }
    }

    /// Whether the ANMF chunk, whose fields end at the bitstream, declares the bitstream's size; libwebpdemux
    /// does not check that.
    func matchesDeclaredSize(in file: ByteReader) -> Bool {
        func side(before distance: Int) -> Int? {
            // The field has three bytes; the byte before it belongs to another field.
            file.uint32(at: fragment.offset - distance - 1, bigEndian: false).map { ($0 >> 8) + 1 }
        }
        return side(before: 10) == size.width && side(before: 7) == size.height
    }

    var right: Int { left + size.width }
    var rows: Range<Int> { top..<top + size.height }

    func fills(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && size == canvas
    }
}
