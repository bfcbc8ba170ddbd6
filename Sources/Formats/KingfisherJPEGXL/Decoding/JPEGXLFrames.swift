import CJPEGXL
import Foundation
import KingfisherCodecSupport

/// The frames of a file, decoded one after the other by libjxl; a step backwards needs a new decoder.
///
/// Not for concurrent use.
final class JPEGXLFrames: SequentialFrameDecoder {
    private let decoder: LibJXLDecoder
    /// The file, because libjxl does not copy its bytes; released after `decoder`.
    private let file: EncodedFile
    private let info: JPEGXLInfo
    private var colors: ICCTransform?
    /// The number of frames that were decoded or skipped.
    private var position = 0

    init(_ file: EncodedFile, _ info: JPEGXLInfo) throws(ImageCodecError) {
        (self.file, self.info) = (file, info)
        decoder = try LibJXLDecoder(
            file.reader,
            events: [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME, JXL_DEC_FULL_IMAGE])
    }

    func canDecode(frame index: Int) -> Bool { index >= position }

    func decode(frame index: Int, shrunkTo target: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        if index > position {
            // libjxl decodes what the frame depends on.
            decoder.jxl.JxlDecoderSkipFrames(decoder.pointer, index - position)
            position = index
        }
        let target = target.map { DecodingTarget.exactly($0) } ?? .full
        return try decodeNext(minimumSize: target.minimumSize).resized(to: target).finished()
    }

    /// The next frame upright, with boxes of pixels averaged if `minimumSize` is much smaller.
    ///
    /// With `acceptsPart`, pixels of a truncated frame that did not arrive are transparent or black; then
    /// `minimumSize` is nil.
    func decodeNext(
        minimumSize: PixelSize?, acceptsPart: Bool = false
    ) throws(ImageCodecError) -> DecodedPixels {
        let size = info.header.size
        let minimum = info.header.orientation.swapsSides ? minimumSize?.swapped : minimumSize
        decoder.memory.reserve(PixelBuffer.memoryOfRows(size, format: info.format, minimumSize: minimum))
        let pixels = try PixelBuffer.decodingPieces(
            size, format: info.format, minimumSize: minimum, beside: info.workingMemory
        ) { pieces throws(ImageCodecError) in
            let sink = JPEGXLSink(pieces, info.format)
            if acceptsPart { sink.clear(size) }
            try withExtendedLifetime(sink) { () throws(ImageCodecError) in
                try decode(into: sink, acceptsPart: acceptsPart)
            }
        }
        position += 1
        return try DecodedPixels(pixels, colors: colors).upright(from: info.header.orientation)
    }

    /// Whether all bytes of the next frame are there; decodes it without keeping pixels.
    func isWhole() throws(ImageCodecError) -> Bool {
        try file.limits.check(frameBytes: 0, beside: info.workingMemory)
        do throws(ImageCodecError) {
            try decode(into: nil, acceptsPart: false)
            return true
        } catch {
            guard error == .truncated else { throw error }
            return false
        }
    }

    private func decode(into sink: JPEGXLSink?, acceptsPart: Bool) throws(ImageCodecError) {
        while true {
            switch try decoder.next() {
            case JXL_DEC_BASIC_INFO, JXL_DEC_FRAME: continue
            case JXL_DEC_COLOR_ENCODING:
                colors = try JPEGXLColors.transform(decoder, decoder.basicInfo(), format: info.format)
            case JXL_DEC_NEED_IMAGE_OUT_BUFFER: try deliver(to: sink)
            case JXL_DEC_FULL_IMAGE: return
            case JXL_DEC_NEED_MORE_INPUT:
                guard acceptsPart else { throw .truncated }
                // Fails if nothing can be shown, which leaves the pixels clear.
                _ = decoder.jxl.JxlDecoderFlushImage(decoder.pointer)
                return
            default: throw .truncated
            }
        }
    }

    /// Floating point is the only format that libjxl 0.7 delivers without an additional canvas: 196 ms and 32
    /// MB instead of 314 ms and 174 MB for 12 megapixels.
    private func deliver(to sink: JPEGXLSink?) throws(ImageCodecError) {
        var format = JxlPixelFormat(
            num_channels: 4, data_type: JXL_TYPE_FLOAT, endianness: JXL_NATIVE_ENDIAN, align: 0)
        let context = sink.map { Unmanaged.passUnretained($0).toOpaque() }
        let status = decoder.jxl.JxlDecoderSetImageOutCallback(
            decoder.pointer, &format,
            { context, x, y, count, pixels in
                guard let context, let pixels else { return }
                Unmanaged<JPEGXLSink>.fromOpaque(context).takeUnretainedValue().put(count, x: x, y: y, pixels)
            }, context)
        guard status == JXL_DEC_SUCCESS else { throw .unsupported("floating point of libjxl") }
    }
}

/// Takes the pieces of rows that libjxl delivers, tile by tile.
private final class JPEGXLSink {
    private let pieces: RowPieces
    private let format: PixelFormat

    init(_ pieces: RowPieces, _ format: PixelFormat) {
        (self.pieces, self.format) = (pieces, format)
    }

    func put(_ count: Int, x: Int, y: Int, _ pixels: UnsafeRawPointer) {
        let samples = pixels.assumingMemoryBound(to: Float.self)
        let channels = Int32(format.layout.channels)
        pieces.put(count, x: x, y: y) { target in
            switch format.depth {
            case .eight:
                kf_jxl_store8(samples, count, channels, target.assumingMemoryBound(to: UInt8.self))
            case .sixteen:
                kf_jxl_store16(samples, count, channels, target.assumingMemoryBound(to: UInt16.self))
            }
        }
    }

    /// Makes all pixels transparent, or black if they are opaque.
    func clear(_ size: PixelSize) {
        let pixel: [Float] = [0, 0, 0, format.isOpaque ? 1 : 0]
        let row = [[Float]](repeating: pixel, count: size.width).flatMap(\.self)
        row.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            for y in 0..<size.height { put(size.width, x: 0, y: y, start) }
        }
    }
}
