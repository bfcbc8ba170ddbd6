import CWebP
import KingfisherCodecSupport

struct WebPBitstream {
    private let bytes: ByteReader
    private let frame: WebPFrame

    init(_ frame: WebPFrame, of file: ByteReader) throws(ImageCodecError) {
        guard let bytes = frame.fragment.reader(in: file) else { throw .truncated }
        self.bytes = bytes
        self.frame = frame
    }

    /// Writes straight RGBA at `size`; libwebp scales while it decodes.
    func decode(
        to size: PixelSize, into rows: UnsafeMutableRawPointer, bytesPerRow: Int
    ) throws(ImageCodecError) {
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfig(&config) != 0 else { throw .unsupported("this version of libwebp") }
        if size != frame.size {
            config.options.use_scaling = 1
            config.options.scaled_width = Int32(size.width)
            config.options.scaled_height = Int32(size.height)
        }
        config.output.colorspace = MODE_RGBA
        config.output.is_external_memory = 1
        config.output.u.RGBA = WebPRGBABuffer(
            rgba: rows.assumingMemoryBound(to: UInt8.self), stride: Int32(bytesPerRow),
            size: bytesPerRow * (size.height - 1) + size.width * 4)
        let status = WebPDecode(
            bytes.bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &config)
        guard status == VP8_STATUS_OK else { throw Self.error(status) }
        if !frame.hasAlpha, bytes.has("VP8L", at: 0) {
            Self.makeOpaque(rows, bytesPerRow: bytesPerRow, size: size)
        }
    }

    /// Never `truncated`: the container is complete, so a truncated bitstream is corrupt.
    static func error(_ status: VP8StatusCode) -> ImageCodecError {
        switch status {
        case VP8_STATUS_OUT_OF_MEMORY: .outOfMemory
        case VP8_STATUS_UNSUPPORTED_FEATURE: .unsupported("a WebP feature that libwebp does not support")
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: .corrupt("a truncated WebP bitstream")
        default: .corrupt("a corrupt WebP bitstream")
        }
    }

    /// Sets alpha to opaque: a lossless bitstream may contain alpha although its header says otherwise. The
    /// header decides, as in dwebp.
    static func makeOpaque(_ rows: UnsafeMutableRawPointer, bytesPerRow: Int, size: PixelSize) {
        for y in 0..<size.height {
            let row = (rows + y * bytesPerRow).assumingMemoryBound(to: UInt32.self)
            for x in 0..<size.width { row[x] |= UInt32(littleEndian: 0xFF00_0000) }
        }
    }
}

extension PixelSize {
    /// The smallest size with the same aspect ratio and neither side below `minimum`; itself without a
    /// minimum, and if that is not smaller.
    func shrunk(toCover minimum: PixelSize?) -> PixelSize {
        guard let minimum else { return self }
        let wanted = PixelSize(width: max(minimum.width, 1), height: max(minimum.height, 1))
        guard wanted.width < width, wanted.height < height else { return self }
        // Rounded up, so that the other side is not too small.
        return wanted.width * height >= wanted.height * width
            ? PixelSize(width: wanted.width, height: (wanted.width * height + width - 1) / width)
            : PixelSize(width: (wanted.height * width + height - 1) / height, height: wanted.height)
    }
}
