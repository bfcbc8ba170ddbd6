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
        _ decoder: LibJXLDecoder, _ info: JxlBasicInfo, format: PixelFormat
    ) throws(ImageCodecError) -> ICCTransform? {
        let encoding = encoding(of: decoder)
        let isHDR = encoding?.curve == .pq || encoding?.curve == .hlg
        if info.uses_original_profile == 0, !isHDR {
            var sRGB = JxlColorEncoding()
            decoder.jxl.JxlColorEncodingSetToSRGB(&sRGB, info.num_color_channels == 1 ? JXL_TRUE : JXL_FALSE)
            if decoder.jxl.JxlDecoderSetPreferredColorProfile(decoder.pointer, &sRGB) == JXL_DEC_SUCCESS {
                return nil
            }
        }
        if let encoding { return encoding.transform(of: ICCSamples(format)) }
        return try profile(decoder).flatMap { profile in
            profile.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: ICCSamples(format)) }
        }
    }

    /// The ICC profile of the samples, which libjxl makes for colours by numbers.
    static func profile(_ decoder: LibJXLDecoder) throws(ImageCodecError) -> Data? {
        let size = kf_jxl_icc_size(decoder.pointer, JXL_COLOR_PROFILE_TARGET_DATA)
        guard size > 0 else { return nil }
        try decoder.limits.check(metadataBytes: size)
        var profile = Data(count: size)
        let isRead = profile.withUnsafeMutableBytes { bytes in
            guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return false }
            return kf_jxl_icc(decoder.pointer, JXL_COLOR_PROFILE_TARGET_DATA, start, size) != 0
        }
        return isRead ? profile : nil
    }

    /// The colours by numbers; nil if the file has a profile, or a curve without a description.
    private static func encoding(of decoder: LibJXLDecoder) -> ColorEncoding? {
        var encoding = JxlColorEncoding()
        guard
            kf_jxl_encoded_profile(decoder.pointer, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding) != 0,
            let curve = curve(encoding)
        else { return nil }
        let chromaticities: Chromaticities
        switch encoding.color_space {
        case JXL_COLOR_SPACE_GRAY: chromaticities = .sRGB
        case JXL_COLOR_SPACE_RGB:
            let isSRGB =
                encoding.primaries == JXL_PRIMARIES_SRGB && encoding.white_point == JXL_WHITE_POINT_D65
            chromaticities = isSRGB ? .sRGB : Chromaticities(encoding)
        default: return nil
        }
        return ColorEncoding(chromaticities: chromaticities, curve: curve)
    }

    /// The curve of BT.709 counts as the curve of sRGB, as in browsers and other viewers.
    private static func curve(_ encoding: JxlColorEncoding) -> ColorEncoding.Curve? {
        switch encoding.transfer_function {
        case JXL_TRANSFER_FUNCTION_SRGB, JXL_TRANSFER_FUNCTION_709: .sRGB
        case JXL_TRANSFER_FUNCTION_LINEAR: .gamma(1)
        case JXL_TRANSFER_FUNCTION_DCI: .gamma(2.6)
        case JXL_TRANSFER_FUNCTION_PQ: .pq
        case JXL_TRANSFER_FUNCTION_HLG: .hlg
        // `gamma` is the encoder's exponent.
        case JXL_TRANSFER_FUNCTION_GAMMA where encoding.gamma > 0: .gamma(1 / encoding.gamma)
        default: nil
        }
    }
}

extension Chromaticities {
    /// The decoder also writes the numbers of named points.
    fileprivate init(_ encoding: JxlColorEncoding) {
        func point(_ xy: (Double, Double)) -> Point { Point(x: xy.0, y: xy.1) }
        self.init(
            red: point(encoding.primaries_red_xy), green: point(encoding.primaries_green_xy),
            blue: point(encoding.primaries_blue_xy), white: point(encoding.white_point_xy))
    }
}
