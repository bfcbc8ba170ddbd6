import CWebP
import Foundation
import KingfisherCodecSupport

/// A part of an animation's canvas as a separate file, and its position, which must be even.
struct WebPFramePart {
    let file: Data
    let x: Int
    let y: Int
    let isBlended: Bool
}

/// An animated file built frame by frame with libwebpmux.
///
/// `WebPAnimEncoder` of the same library is not used because it drops repeated frames: frames and delays
/// would differ from the animation (decision 023).
final class WebPAnimation {
    let canvas: PixelSize
    private let mux: OpaquePointer

    init(canvas: PixelSize, loopCount: Int) throws(ImageCodecError) {
        let tooLarge = ImageCodecError.tooLarge(width: canvas.width, height: canvas.height)
        guard max(canvas.width, canvas.height) <= WEBP_MAX_DIMENSION, let mux = WebPMuxNew() else {
            throw tooLarge
        }
        self.canvas = canvas
        self.mux = mux
        var parameters = WebPMuxAnimParams(bgcolor: 0, loop_count: Int32(min(max(loopCount, 0), 0xFFFF)))
        try Self.check(WebPMuxSetCanvasSize(mux, Int32(canvas.width), Int32(canvas.height)))
        try Self.check(WebPMuxSetAnimationParams(mux, &parameters))
    }

    deinit { WebPMuxDelete(mux) }

    func append(_ part: WebPFramePart, milliseconds: Int) throws(ImageCodecError) {
        let status = part.file.withUnsafeBytes { bytes in
            var frame = WebPMuxFrameInfo()
            frame.bitstream = WebPData(
                bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count)
            frame.id = WEBP_CHUNK_ANMF
            (frame.x_offset, frame.y_offset) = (Int32(part.x), Int32(part.y))
            frame.duration = Int32(milliseconds)
            frame.dispose_method = WEBP_MUX_DISPOSE_NONE
            frame.blend_method = part.isBlended ? WEBP_MUX_BLEND : WEBP_MUX_NO_BLEND
            return WebPMuxPushFrame(mux, &frame, 1)
        }
        try Self.check(status)
    }

    func data() throws(ImageCodecError) -> Data {
        var file = WebPData()
        try Self.check(WebPMuxAssemble(mux, &file))
        guard let bytes = file.bytes else { throw .emptyImage }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes), count: file.size,
            deallocator: .custom { bytes, _ in WebPFree(bytes) })
    }

    private static func check(_ status: WebPMuxError) throws(ImageCodecError) {
        guard status != WEBP_MUX_OK else { return }
        throw .unsupported("libwebp's muxer failed with error \(status.rawValue)")
    }
}
