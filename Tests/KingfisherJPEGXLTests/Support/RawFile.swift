import CJPEGXL
import Foundation
import Testing

/// Files with fields that neither cjxl nor our encoder writes, by libjxl's encoder.
enum RawFile {
    /// Lossless frames of 8 by 8 pixels in RGBA, each of one colour, with durations in ticks.
    static func encode(
        _ colors: [[UInt8]], durations: [UInt32] = [], _ change: (inout JxlBasicInfo) -> Void
    ) throws -> Data {
        let jxl = try #require(kf_jxl()).pointee
        let encoder = try #require(jxl.JxlEncoderCreate(nil))
        defer { jxl.JxlEncoderDestroy(encoder) }
        var info = JxlBasicInfo()
        jxl.JxlEncoderInitBasicInfo(&info)
        (info.xsize, info.ysize) = (8, 8)
        (info.num_extra_channels, info.alpha_bits) = (1, 8)
        info.uses_original_profile = JXL_TRUE
        change(&info)
        try #require(jxl.JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS)
        var encoding = JxlColorEncoding()
        jxl.JxlColorEncodingSetToSRGB(&encoding, JXL_FALSE)
        try #require(jxl.JxlEncoderSetColorEncoding(encoder, &encoding) == JXL_ENC_SUCCESS)
        let settings = try #require(jxl.JxlEncoderFrameSettingsCreate(encoder, nil))
        try #require(jxl.JxlEncoderSetFrameLossless(settings, JXL_TRUE) == JXL_ENC_SUCCESS)
        var format = JxlPixelFormat(
            num_channels: 4, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
        for (index, color) in colors.enumerated() {
            if durations.indices.contains(index) {
                var header = JxlFrameHeader()
                jxl.JxlEncoderInitFrameHeader(&header)
                header.duration = durations[index]
                try #require(jxl.JxlEncoderSetFrameHeader(settings, &header) == JXL_ENC_SUCCESS)
            }
            let pixels = [[UInt8]](repeating: color, count: 64).flatMap(\.self)
            try #require(
                jxl.JxlEncoderAddImageFrame(settings, &format, pixels, pixels.count) == JXL_ENC_SUCCESS)
        }
        jxl.JxlEncoderCloseInput(encoder)
        return try output(of: encoder, jxl)
    }

    /// The file, once the encoder has all frames.
    private static func output(of encoder: OpaquePointer, _ jxl: kf_jxl_functions) throws -> Data {
        var file = [UInt8](repeating: 0, count: 1 << 16)
        let count = file.withUnsafeMutableBufferPointer { buffer in
            var (next, room) = (buffer.baseAddress, buffer.count)
            let isDone = jxl.JxlEncoderProcessOutput(encoder, &next, &room) == JXL_ENC_SUCCESS
            return isDone ? buffer.count - room : 0
        }
        try #require(count > 0)
        return Data(file.prefix(count))
    }

    /// The file with the bit that says that its alpha of 16 bits is premultiplied.
    ///
    /// libjxl 0.7 ends the process if it is to encode such a file, so the bit is found by trying.
    static func premultiplied(_ file: Data) throws -> Data {
        let original = try #require(info(of: file))
        for bit in 0..<min(file.count * 8, 2_000) {
            var changed = file
            changed[bit / 8] ^= 1 << (bit % 8)
            guard let info = info(of: changed), info.alpha_premultiplied != 0 else { continue }
            let isEqual =
                info.xsize == original.xsize && info.alpha_bits == original.alpha_bits
                && info.bits_per_sample == original.bits_per_sample
                && info.num_extra_channels == original.num_extra_channels
            if isEqual { return changed }
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    private static func info(of file: Data) -> JxlBasicInfo? {
        guard let jxl = kf_jxl()?.pointee, let decoder = jxl.JxlDecoderCreate(nil) else { return nil }
        defer { jxl.JxlDecoderDestroy(decoder) }
        _ = jxl.JxlDecoderSubscribeEvents(decoder, Int32(JXL_DEC_BASIC_INFO.rawValue))
        return file.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            var info = JxlBasicInfo()
            guard jxl.JxlDecoderSetInput(decoder, start, bytes.count) == JXL_DEC_SUCCESS,
                jxl.JxlDecoderProcessInput(decoder) == JXL_DEC_BASIC_INFO,
                jxl.JxlDecoderGetBasicInfo(decoder, &info) == JXL_DEC_SUCCESS
            else { return nil }
            return info
        }
    }
}
