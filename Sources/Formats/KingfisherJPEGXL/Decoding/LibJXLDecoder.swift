import CJPEGXL
import Foundation
import KingfisherCodecSupport

/// libjxl's decoder of a file in memory.
///
/// The bytes must outlive it, because libjxl does not copy them. Not for concurrent use.
final class LibJXLDecoder {
    let jxl: kf_jxl_functions
    let pointer: OpaquePointer
    let memory: JPEGXLMemory
    let limits: ImageLimits
    private let bytes: UnsafeRawBufferPointer

    /// Stops at `events`. Pixels are in the stored orientation, and alpha is straight.
    init(
        _ reader: ByteReader, events: [JxlDecoderStatus], coalesces: Bool = true
    ) throws(ImageCodecError) {
        guard Self.matches(reader) else { throw .corrupt("no JPEG XL signature") }
        jxl = try JPEGXLLibrary.functions
        (bytes, limits) = (reader.bytes, reader.limits)
        memory = JPEGXLMemory(limits)
        var manager = memory.manager
        guard let pointer = jxl.JxlDecoderCreate(&manager) else { throw .outOfMemory }
        self.pointer = pointer
        let mask = events.reduce(0) { $0 | $1.rawValue }
        let start = bytes.bindMemory(to: UInt8.self).baseAddress
        guard jxl.JxlDecoderSubscribeEvents(pointer, Int32(mask)) == JXL_DEC_SUCCESS,
            jxl.JxlDecoderSetKeepOrientation(pointer, JXL_TRUE) == JXL_DEC_SUCCESS,
            jxl.JxlDecoderSetCoalescing(pointer, coalesces ? JXL_TRUE : JXL_FALSE) == JXL_DEC_SUCCESS,
            jxl.JxlDecoderSetUnpremultiplyAlpha(pointer, JXL_TRUE) == JXL_DEC_SUCCESS,
            jxl.JxlDecoderSetInput(pointer, start, bytes.count) == JXL_DEC_SUCCESS
        else { throw .outOfMemory }
    }

    deinit { jxl.JxlDecoderDestroy(pointer) }

    /// The signature of a codestream (ISO/IEC 18181-1) or of the container (18181-2).
    static func matches(_ reader: ByteReader) -> Bool {
        reader.has("\u{0}\u{0}\u{0}\u{C}JXL \r\n", at: 0) && reader.uint8(at: 10) == 0x87
            && reader.uint8(at: 11) == 0x0A || reader.uint16(at: 0, bigEndian: true) == 0xFF0A
    }

    /// The next event. `JXL_DEC_NEED_MORE_INPUT` means that the file is truncated.
    func next() throws(ImageCodecError) -> JxlDecoderStatus {
        let status = jxl.JxlDecoderProcessInput(pointer)
        guard status != JXL_DEC_ERROR else {
            if memory.isExhausted { throw .tooMuchMemory }
            throw .corrupt("libjxl rejects it")
        }
        return status
    }

    /// The offset of the next byte that libjxl reads.
    func position() throws(ImageCodecError) -> Int {
        let offset = bytes.count - jxl.JxlDecoderReleaseInput(pointer)
        guard offset >= 0, let start = bytes.bindMemory(to: UInt8.self).baseAddress,
            jxl.JxlDecoderSetInput(pointer, start + offset, bytes.count - offset) == JXL_DEC_SUCCESS
        else { throw .corrupt("libjxl rejects it") }
        return offset
    }

    func basicInfo() throws(ImageCodecError) -> JxlBasicInfo {
        var info = JxlBasicInfo()
        guard jxl.JxlDecoderGetBasicInfo(pointer, &info) == JXL_DEC_SUCCESS else {
            throw .corrupt("no basic information")
        }
        return info
    }

    func frameHeader() throws(ImageCodecError) -> JxlFrameHeader {
        var header = JxlFrameHeader()
        guard jxl.JxlDecoderGetFrameHeader(pointer, &header) == JXL_DEC_SUCCESS else {
            throw .corrupt("no frame header")
        }
        return header
    }

    func hasBlackChannel(_ info: JxlBasicInfo) -> Bool {
        (0..<Int(info.num_extra_channels)).contains { index in
            var channel = JxlExtraChannelInfo()
            return jxl.JxlDecoderGetExtraChannelInfo(pointer, index, &channel) == JXL_DEC_SUCCESS
                && channel.type == JXL_CHANNEL_BLACK
        }
    }
}
