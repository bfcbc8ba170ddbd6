import CJPEGXL
import Foundation
import KingfisherCodecSupport

/// What a file declares, read without decoding pixels and checked against `ImageLimits`.
struct JPEGXLInfo {
    private(set) var header: ImageHeader
    private let isGrayscale: Bool
    /// Whether the header of the last frame is there.
    private(set) var isComplete = false
    private let info: JxlBasicInfo
    /// Pixels of the largest layer or of the canvas.
    private var largestArea: Int
    /// The file is one frame in VarDCT, which libjxl decodes tile by tile.
    private var isPlainVarDCT = false
    private var layers = 0

    /// Reads the header of a still, or also `layers`: of all frames, up to the end of the file.
    ///
    /// An animation's layers are always read, for its timing; it is `truncated` without the last one, unless
    /// `acceptsPart`.
    init(
        _ bytes: UnsafeRawBufferPointer, layers readsLayers: Bool, acceptsPart: Bool = false
    ) throws(ImageCodecError) {
        let decoder = try JPEGXLDecoder(
            bytes, events: [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_FRAME], coalesces: false)
        guard try decoder.next() == JXL_DEC_BASIC_INFO else { throw .truncated }
        info = try decoder.basicInfo()
        header = Self.header(of: info)
        largestArea = header.size.area
        isGrayscale = info.num_color_channels == 1
        try ImageLimits.check(header.size, format: Self.format(header, isGrayscale: isGrayscale))
        guard !decoder.hasBlackChannel(info) else { throw .unsupported("CMYK of JPEG XL") }
        header.isLossless = info.uses_original_profile != 0 && !JPEGXLBoxes.hasJPEG(ByteReader(bytes))
        guard readsLayers || info.have_animation != 0 else { return }
        guard try decoder.next() == JXL_DEC_COLOR_ENCODING else {
            guard acceptsPart else { throw .truncated }
            return
        }
        let start = JPEGXLBoxes.codestreamByte(at: try decoder.position(), in: ByteReader(bytes))
        let durations = try readLayers(decoder, start: start)
        guard isComplete else {
            guard acceptsPart else { throw .truncated }
            return
        }
        try setTiming(durations)
    }

    private static func header(of info: JxlBasicInfo) -> ImageHeader {
        var header = ImageHeader(size: PixelSize(width: Int(info.xsize), height: Int(info.ysize)))
        header.orientation = Image.Orientation(exif: Int(info.orientation.rawValue)) ?? .up
        header.hasAlpha = info.alpha_bits > 0
        header.bitsPerComponent = Int(info.bits_per_sample)
        return header
    }

    /// Ticks of the frames that are shown: those with a duration, and the last one.
    private mutating func readLayers(
        _ decoder: JPEGXLDecoder, start: Int?
    ) throws(ImageCodecError) -> [UInt32] {
        var durations: [UInt32] = []
        while true {
            let event = try decoder.next()
            if event == JXL_DEC_SUCCESS {
                isComplete = true
                return durations
            }
            guard event == JXL_DEC_FRAME else { return durations }
            let frame = try decoder.frameHeader()
            let size = PixelSize(width: Int(frame.layer_info.xsize), height: Int(frame.layer_info.ysize))
            guard size.area <= ImageLimits.maximumPixels else {
                throw .tooLarge(width: size.width, height: size.height)
            }
            largestArea = max(largestArea, size.area)
            layers += 1
            isPlainVarDCT = layers == 1 && frame.is_last != 0 && start.map(Self.isVarDCT) == true
            // A frame may have many layers, but each takes time.
            try ImageLimits.check(frames: layers)
            if frame.duration > 0 || frame.is_last != 0 { durations.append(frame.duration) }
        }
    }

    /// The first bits of a frame header (ISO/IEC 18181-1, annex F.2): all default, or type and encoding.
    private static func isVarDCT(_ bits: Int) -> Bool {
        bits & 1 != 0 || bits & 0b1110 == 0
    }

    private mutating func setTiming(_ durations: [UInt32]) throws(ImageCodecError) {
        guard info.have_animation != 0, durations.count > 1 else { return }
        try ImageLimits.check(canvas: header.size, format: format)
        let (numerator, denominator) = (info.animation.tps_numerator, info.animation.tps_denominator)
        header.timing = AnimationTiming(
            // As players show a frame without a duration.
            durations: durations.map { ticks in
                let isPositive = ticks > 0 && numerator > 0 && denominator > 0
                return isPositive ? Double(ticks) * Double(denominator) / Double(numerator) : 0.1
            },
            loopCount: Int(info.animation.num_loops))
    }

    private static func format(_ header: ImageHeader, isGrayscale: Bool) -> PixelFormat {
        PixelFormat(
            layout: isGrayscale ? header.hasAlpha ? .grayAlpha : .gray : .rgba,
            depth: header.bitsPerComponent > 8 ? .sixteen : .eight,
            alpha: header.hasAlpha ? .straight : .opaque)
    }

    /// Of the pixels at full size.
    var format: PixelFormat { Self.format(header, isGrayscale: isGrayscale) }

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
