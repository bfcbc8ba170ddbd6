import CJPEGXL
import Foundation
import KingfisherCodecSupport

/// What a file declares, read without decoding pixels and checked against its limits.
struct JPEGXLInfo {
    private(set) var header: ImageHeader
    /// Whether the header of the last frame is there.
    private(set) var isComplete = false
    private var failure: ImageCodecError?
    private let limits: ImageLimits
    private let info: JxlBasicInfo
    /// Pixels of the largest layer or of the canvas.
    private var largestArea: Int
    /// The file is one frame in VarDCT, which libjxl decodes tile by tile.
    private var isPlainVarDCT = false
    private var layers = 0

    /// Reads the headers of all frames, up to the end of the file.
    ///
    /// Throws for malformed frames of an animation only, whose timing depends on them; an animation is
    /// `truncated` without the last one, unless the file may be. A still has a header without them.
    init(_ file: EncodedFile) throws(ImageCodecError) {
        let reader = file.reader
        limits = file.limits
        let decoder = try LibJXLDecoder(
            reader, events: [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME], coalesces: false)
        guard try decoder.next() == JXL_DEC_BASIC_INFO else { throw .truncated }
        info = try decoder.basicInfo()
        header = Self.header(of: info)
        largestArea = header.size.area
        try limits.check(header.size, format: format)
        guard !decoder.hasBlackChannel(info) else { throw .unsupported("CMYK of JPEG XL") }
        header.isLossless = info.uses_original_profile != 0 && !JPEGXLBoxes.hasJPEG(reader)
        do throws(ImageCodecError) {
            try readFrames(decoder, reader)
            if !isComplete, !file.acceptsPartialImages { throw .truncated }
        } catch {
            guard info.have_animation == 0 else { throw error }
            failure = error
        }
    }

    /// Throws what makes pixels impossible, although there is a header.
    func check() throws(ImageCodecError) {
        if let failure { throw failure }
    }

    private static func header(of info: JxlBasicInfo) -> ImageHeader {
        var header = ImageHeader(size: PixelSize(width: Int(info.xsize), height: Int(info.ysize)))
        header.orientation = Image.Orientation(exif: Int(info.orientation.rawValue)) ?? .up
        header.hasAlpha = info.alpha_bits > 0
        header.bitsPerComponent = Int(info.bits_per_sample)
        return header
    }

    private mutating func readFrames(
        _ decoder: LibJXLDecoder, _ reader: ByteReader
    ) throws(ImageCodecError) {
        guard try decoder.next() == JXL_DEC_COLOR_ENCODING else { return }
        let start = JPEGXLBoxes.codestreamByte(at: try decoder.position(), in: reader)
        // Ticks of the frames that are shown: those with a duration, and the last one.
        var durations: [UInt32] = []
        while true {
            let event = try decoder.next()
            if event == JXL_DEC_SUCCESS {
                isComplete = true
                return try setTiming(durations)
            }
            guard event == JXL_DEC_FRAME else { return }
            let frame = try decoder.frameHeader()
            let size = PixelSize(width: Int(frame.layer_info.xsize), height: Int(frame.layer_info.ysize))
            guard size.area <= limits.maximumPixels else {
                throw .tooLarge(width: size.width, height: size.height)
            }
            largestArea = max(largestArea, size.area)
            layers += 1
            isPlainVarDCT = layers == 1 && frame.is_last != 0 && start.map(Self.isVarDCT) == true
            // A frame may have many layers, but each takes time.
            try limits.check(frames: layers)
            if frame.duration > 0 || frame.is_last != 0 { durations.append(frame.duration) }
        }
    }

    /// The first bits of a frame header (ISO/IEC 18181-1, annex F.2): all default, or type and encoding.
    private static func isVarDCT(_ bits: Int) -> Bool {
        bits & 1 != 0 || bits & 0b1110 == 0
    }

    private mutating func setTiming(_ durations: [UInt32]) throws(ImageCodecError) {
        guard info.have_animation != 0, durations.count > 1 else { return }
        try limits.check(canvas: header.size, format: format)
        let (numerator, denominator) = (info.animation.tps_numerator, info.animation.tps_denominator)
        header.timing = AnimationTiming(
            // As players show a frame without a duration.
            durations: durations.map { ticks in
                let isPositive = ticks > 0 && numerator > 0 && denominator > 0
                return isPositive ? Double(ticks) * Double(denominator) / Double(numerator) : 0.1
            },
            loopCount: Int(info.animation.num_loops))
    }

    /// Of the pixels at full size.
    var format: PixelFormat {
        PixelFormat(
            layout: info.num_color_channels != 1 ? .rgba : header.hasAlpha ? .grayAlpha : .gray,
            depth: header.bitsPerComponent > 8 ? .sixteen : .eight,
            alpha: header.hasAlpha ? .straight : .opaque)
    }

    /// What libjxl takes at most to decode a frame, besides the pixels that it delivers; saturates.
    ///
    /// Measured with libjxl 0.7 and 0.11 (decision 067): a frame in VarDCT takes up to 7 or 16 bytes a pixel;
    /// other frames hold all of each channel, with up to 10 bytes a sample; an alpha channel takes up to 36;
    /// each layer that others refer to is held in floating point.
    var workingMemory: Int {
        let extra = Int(info.num_extra_channels)
        var bytes = Int(kf_jxl_pixel_bytes)
        if !isPlainVarDCT { bytes += 10 * Int(info.num_color_channels) }
        if extra > 0 { bytes += 32 + 10 * (extra - 1) }
        if layers > 1 { bytes += min(layers, 4) * 4 * (3 + extra) }
        let (product, overflow) = largestArea.multipliedReportingOverflow(by: bytes)
        let (sum, isTooLarge) = product.addingReportingOverflow(Int(kf_jxl_frame_bytes))
        return overflow || isTooLarge ? .max : sum
    }
}
