import CJPEGXL
import Foundation
import KingfisherCodecSupport

/// libjxl's encoder, on the caller's thread.
final class JPEGXLEncoder {
    private let jxl: kf_jxl_functions
    private let pointer: OpaquePointer
    private let settings: OpaquePointer
    private let memory = JPEGXLMemory(.current)
    private var output = Data(count: 1 << 16)
    private var used = 0

    init(effort: Int) throws(ImageCodecError) {
        let jxl = try JPEGXLLibrary.functions
        var manager = memory.manager
        guard let pointer = jxl.JxlEncoderCreate(&manager) else { throw .outOfMemory }
        guard let settings = jxl.JxlEncoderFrameSettingsCreate(pointer, nil) else {
            jxl.JxlEncoderDestroy(pointer)
            throw .outOfMemory
        }
        (self.jxl, self.pointer, self.settings) = (jxl, pointer, settings)
        try set(JXL_ENC_FRAME_SETTING_EFFORT, Int64(min(max(effort, 1), 9)))
    }

    deinit { jxl.JxlEncoderDestroy(pointer) }

    private func set(_ option: JxlEncoderFrameSettingId, _ value: Int64) throws(ImageCodecError) {
        try check(jxl.JxlEncoderFrameSettingsSetOption(settings, option, value))
    }

    /// Sets the loss; `distance` is 1 where a loss just cannot be seen, 0 for none.
    private func setDistance(_ distance: Float) throws(ImageCodecError) {
        guard distance > 0 else {
            try set(JXL_ENC_FRAME_SETTING_KEEP_INVISIBLE, 1)
            return try check(jxl.JxlEncoderSetFrameLossless(settings, JXL_TRUE))
        }
        try check(jxl.JxlEncoderSetFrameDistance(settings, distance))
    }

    /// Describes the image: frames of `size` and `format`, which is gray or RGBA with straight alpha or none.
    ///
    /// An animation plays `plays` times, 0 for ever, and its durations are milliseconds.
    func begin(
        _ size: PixelSize, _ format: PixelFormat, distance: Float, plays: Int? = nil
    ) throws(ImageCodecError) {
        var info = JxlBasicInfo()
        jxl.JxlEncoderInitBasicInfo(&info)
        info.xsize = UInt32(clamping: size.width)
        info.ysize = UInt32(clamping: size.height)
        info.bits_per_sample = UInt32(format.depth.rawValue)
        info.num_color_channels = format.layout == .rgba ? 3 : 1
        info.num_extra_channels = format.isOpaque ? 0 : 1
        info.alpha_bits = format.isOpaque ? 0 : info.bits_per_sample
        info.uses_original_profile = distance > 0 ? JXL_FALSE : JXL_TRUE
        if let plays {
            info.have_animation = JXL_TRUE
            info.animation.tps_numerator = 1_000
            info.animation.tps_denominator = 1
            info.animation.num_loops = UInt32(clamping: plays)
        }
        try check(jxl.JxlEncoderSetBasicInfo(pointer, &info))
        var colorSpace = JxlColorEncoding()
        jxl.JxlColorEncodingSetToSRGB(&colorSpace, info.num_color_channels == 1 ? JXL_TRUE : JXL_FALSE)
        try check(jxl.JxlEncoderSetColorEncoding(pointer, &colorSpace))
        try setDistance(distance)
    }

    /// Adds a frame of the format of `begin`.
    func add(_ pixels: PixelBuffer, milliseconds: Int? = nil) throws(ImageCodecError) {
        if let milliseconds {
            var header = JxlFrameHeader()
            jxl.JxlEncoderInitFrameHeader(&header)
            header.duration = UInt32(clamping: milliseconds)
            try check(jxl.JxlEncoderSetFrameHeader(settings, &header))
        }
        let format = pixels.format
        let channels = (format.layout == .rgba ? 3 : 1) + (format.isOpaque ? 0 : 1)
        var layout = JxlPixelFormat(
            num_channels: UInt32(channels),
            data_type: format.depth == .eight ? JXL_TYPE_UINT8 : JXL_TYPE_UINT16,
            endianness: JXL_NATIVE_ENDIAN, align: 0)
        let samples = Self.packed(pixels, channels: channels)
        let status = samples.withUnsafeBytes {
            jxl.JxlEncoderAddImageFrame(settings, &layout, $0.baseAddress, $0.count)
        }
        try check(status)
    }

    /// Adds the only frame from a JPEG, with what is needed to restore its bytes.
    func add(jpeg: Data) throws(ImageCodecError) {
        try check(jxl.JxlEncoderUseContainer(pointer, JXL_TRUE))
        try check(jxl.JxlEncoderStoreJPEGMetadata(pointer, JXL_TRUE))
        let status = jpeg.withUnsafeBytes { bytes in
            jxl.JxlEncoderAddJPEGFrame(
                settings, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard status == JXL_ENC_SUCCESS else {
            if memory.isExhausted { throw .tooMuchMemory }
            throw .unsupported("this kind of JPEG in JPEG XL")
        }
    }

    /// Rows without padding, and without the alpha of opaque pixels.
    private static func packed(_ pixels: PixelBuffer, channels: Int) -> [UInt8] {
        let sample = pixels.format.depth.rawValue / 8
        let (from, to) = (pixels.format.bytesPerPixel, channels * sample)
        let count = pixels.width * pixels.height * to
        return pixels.withUnsafeBytes { source in
            [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
                guard let read = source.baseAddress, let write = target.baseAddress else { return }
                for y in 0..<pixels.height {
                    let row = read + y * pixels.bytesPerRow
                    let start = UnsafeMutableRawPointer(write) + y * pixels.width * to
                    guard from != to else {
                        start.copyMemory(from: row, byteCount: pixels.width * to)
                        continue
                    }
                    for x in 0..<pixels.width {
                        (start + x * to).copyMemory(from: row + x * from, byteCount: to)
                    }
                }
                initialized = count
            }
        }
    }

    /// The file, after all frames were added.
    func file() throws(ImageCodecError) -> Data {
        jxl.JxlEncoderCloseInput(pointer)
        try drain()
        return output.prefix(used)
    }

    /// Encodes what was added. Without it, libjxl keeps the pixels of all frames.
    func drain() throws(ImageCodecError) {
        while true {
            let (status, written) = output.withUnsafeMutableBytes { bytes -> (JxlEncoderStatus, Int) in
                var next = bytes.bindMemory(to: UInt8.self).baseAddress.map { $0 + used }
                var room = bytes.count - used
                let status = jxl.JxlEncoderProcessOutput(pointer, &next, &room)
                return (status, bytes.count - room)
            }
            used = written
            if status == JXL_ENC_SUCCESS { return }
            guard status == JXL_ENC_NEED_MORE_OUTPUT else { throw failure }
            output.append(Data(count: output.count))
        }
    }

    private func check(_ status: JxlEncoderStatus) throws(ImageCodecError) {
        guard status == JXL_ENC_SUCCESS else { throw failure }
    }

    private var failure: ImageCodecError {
        memory.isExhausted ? .tooMuchMemory : .unsupported("an image that libjxl cannot encode")
    }
}
