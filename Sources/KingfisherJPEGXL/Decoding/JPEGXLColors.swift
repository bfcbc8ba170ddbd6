import CJPEGXL
import Foundation
import KingfisherCodecSupport

/// The conversion of a file's colours to sRGB.
enum JPEGXLColors {
    /// Prepares `decoder` at its event for colours, and returns what converts its pixels to sRGB; nil if they
    /// are sRGB.
    ///
    /// Lossy files store absolute colours, which libjxl converts. Others have the samples of their profile.
    static func transform(
        _ decoder: JPEGXLDecoder, _ info: JxlBasicInfo, format: PixelFormat
    ) throws(ImageCodecError) -> ICCTransform? {
        var encoding = JxlColorEncoding()
        let isEncoded =
            kf_jxl_encoded_profile(decoder.pointer, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding) != 0
        if isEncoded, isHDR(encoding) { return nil }
        if info.uses_original_profile == 0 {
            var sRGB = JxlColorEncoding()
            decoder.jxl.JxlColorEncodingSetToSRGB(&sRGB, info.num_color_channels == 1 ? JXL_TRUE : JXL_FALSE)
            if decoder.jxl.JxlDecoderSetPreferredColorProfile(decoder.pointer, &sRGB) == JXL_DEC_SUCCESS {
                return nil
            }
        }
        if isEncoded, isSRGB(encoding) { return nil }
        return try profile(decoder).flatMap { profile in
            profile.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: ICCSamples(format)) }
        }
    }

    /// The ICC profile of the samples, which libjxl makes for colours by numbers.
    static func profile(_ decoder: JPEGXLDecoder) throws(ImageCodecError) -> Data? {
        let size = kf_jxl_icc_size(decoder.pointer, JXL_COLOR_PROFILE_TARGET_DATA)
        guard size > 0 else { return nil }
        try ImageLimits.check(metadataBytes: size)
        var profile = Data(count: size)
        let isRead = profile.withUnsafeMutableBytes { bytes in
            guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
            return kf_jxl_icc(decoder.pointer, JXL_COLOR_PROFILE_TARGET_DATA, start, size) != 0
        }
        return isRead ? profile : nil
    }

    /// Whether the colours of `decoder` have the curve of PQ or HLG.
    static func isHDR(_ decoder: JPEGXLDecoder) -> Bool {
        var encoding = JxlColorEncoding()
        return kf_jxl_encoded_profile(decoder.pointer, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding) != 0
            && isHDR(encoding)
    }

    private static func isHDR(_ encoding: JxlColorEncoding) -> Bool {
        encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ
            || encoding.transfer_function == JXL_TRANSFER_FUNCTION_HLG
    }

    /// The transfer of BT.709 counts as that of sRGB, as in browsers and other viewers.
    private static func isSRGB(_ encoding: JxlColorEncoding) -> Bool {
        let isCurve =
            encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB
            || encoding.transfer_function == JXL_TRANSFER_FUNCTION_709
        guard isCurve else { return false }
        if encoding.color_space == JXL_COLOR_SPACE_GRAY { return true }
        return encoding.color_space == JXL_COLOR_SPACE_RGB && encoding.white_point == JXL_WHITE_POINT_D65
            && encoding.primaries == JXL_PRIMARIES_SRGB
    }
}
