import CWebP
import Foundation
import KingfisherCodecSupport

struct WebPEncoder {
    private let config: WebPConfig

    /// libwebp's level for lossless files, 0...9, without an effort (decision 023).
    private static let losslessLevel: Int32 = 3

    init(_ options: ImageEncodingOptions) throws(ImageCodecError) {
        var config = WebPConfig()
        guard WebPConfigInit(&config) != 0 else { throw .unsupported("this version of libwebp") }
        if options.isLossless {
            let level = options.effort(upTo: 9).map { Int32($0) } ?? Self.losslessLevel
            WebPConfigLosslessPreset(&config, level)
            config.exact = 1
        } else {
            let quality = options.quality.isNaN ? 1 : min(max(options.quality, 0), 1)
            config.quality = Float(quality * 100)
            if let effort = options.effort(upTo: 6) { config.method = Int32(effort) }
        }
        self.config = config
    }

    /// Encodes a still of 8-bit RGBA pixels, opaque or with straight alpha.
    func encode(_ pixels: PixelBuffer) throws(ImageCodecError) -> Data {
        guard let data = try encode(pixels, ChangedArea(pixels.size)) else { throw .emptyImage }
        return data
    }

    /// Encodes the part of `pixels` that differs from `before`; all of it if `before` is nil.
    ///
    /// Chooses the smaller of two files: the whole rectangle, or only the changed pixels in it for blending.
    func encode(_ pixels: PixelBuffer, over before: PixelBuffer?) throws(ImageCodecError) -> WebPFramePart {
        guard let before else {
            return WebPFramePart(file: try encode(pixels), x: 0, y: 0, isBlended: false)
        }
        // A repeated frame is written as one pixel.
        let changed = ChangedArea(from: before, to: pixels) ?? ChangedArea(PixelSize(width: 1, height: 1))
        let area = changed.startingEven
        guard let whole = try encode(pixels, area) else { throw .emptyImage }
        guard let changes = try encode(pixels, area, hidingWhatIsIn: before), changes.count < whole.count
        else { return WebPFramePart(file: whole, x: area.left, y: area.top, isBlended: false) }
        return WebPFramePart(file: changes, x: area.left, y: area.top, isBlended: true)
    }

    /// Nil if pixels equal to `before` should be hidden, but there are none or the rest could not be blended.
    private func encode(
        _ pixels: PixelBuffer, _ area: ChangedArea, hidingWhatIsIn before: PixelBuffer? = nil
    ) throws(ImageCodecError) -> Data? {
        let tooLarge = ImageCodecError.tooLarge(width: area.width, height: area.height)
        guard max(area.width, area.height) <= WEBP_MAX_DIMENSION else { throw tooLarge }
        var image = WebPPicture()
        guard WebPPictureInit(&image) != 0 else { throw .unsupported("this version of libwebp") }
        defer { WebPPictureFree(&image) }
        // Lossy images are imported as YUV directly, which saves an ARGB copy; hiding pixels needs ARGB.
        image.use_argb = before == nil ? config.lossless : 1
        (image.width, image.height) = (Int32(area.width), Int32(area.height))
        let imported = pixels.withRows { rows in
            let start = (rows + area.top * pixels.bytesPerRow + area.left * 4)
                .assumingMemoryBound(to: UInt8.self)
            let stride = Int32(pixels.bytesPerRow)
            return pixels.format.isOpaque
                ? WebPPictureImportRGBX(&image, start, stride)
                : WebPPictureImportRGBA(&image, start, stride)
        }
        guard imported != 0 else { throw tooLarge }
        if let before {
            // In lossy files, edges of transparent areas cost bits, so pixels are hidden in blocks of 8.
            let side = config.lossless == 0 ? 8 : 1
            guard let argb = image.argb,
                pixels.hide(
                    area, whereLike: before, blocksOf: side, in: argb, stride: Int(image.argb_stride))
            else { return nil }
        }
        return try write(&image, area)
    }

    private func write(_ image: inout WebPPicture, _ area: ChangedArea) throws(ImageCodecError) -> Data {
        var writer = WebPMemoryWriter()
        WebPMemoryWriterInit(&writer)
        let encoded = withUnsafeMutablePointer(to: &writer) { writer in
            image.writer = WebPMemoryWrite
            image.custom_ptr = UnsafeMutableRawPointer(writer)
            return withUnsafePointer(to: config) { WebPEncode($0, &image) }
        }
        guard encoded != 0, let bytes = writer.mem else {
            WebPMemoryWriterClear(&writer)
            throw ImageCodecError(image.error_code, area)
        }
        return Data(
            bytesNoCopy: bytes, count: writer.size, deallocator: .custom { bytes, _ in WebPFree(bytes) })
    }
}

extension ChangedArea {
    /// The area extended to even offsets, because WebP stores half of them (RFC 9649, ANMF chunk).
    fileprivate var startingEven: ChangedArea {
        var area = self
        area.left -= left % 2
        area.top -= top % 2
        area.width += left % 2
        area.height += top % 2
        return area
    }
}

extension ImageCodecError {
    fileprivate init(_ code: WebPEncodingError, _ area: ChangedArea) {
        switch code {
        case VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY, VP8_ENC_ERROR_BAD_DIMENSION,
            VP8_ENC_ERROR_PARTITION0_OVERFLOW, VP8_ENC_ERROR_PARTITION_OVERFLOW,
            VP8_ENC_ERROR_FILE_TOO_BIG:
            self = .tooLarge(width: area.width, height: area.height)
        default:
            self = .unsupported("libwebp's encoder failed with error \(code.rawValue)")
        }
    }
}
