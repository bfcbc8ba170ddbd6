import CJPEG
package import Foundation

extension JPEGCodec {
    /// From this quality on, chroma keeps its full resolution (decision 011).
    static let fullChromaQuality = 0.9

    /// Encodes a baseline JPEG with libjpeg's default tables; greyscale stays greyscale, transparency becomes
    /// white.
    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        guard max(pixels.width, pixels.height) <= 65_500 else {
            throw .tooLarge(width: pixels.width, height: pixels.height)
        }
        let flat = try pixels.flattenedOverWhite()
        let quality = options.quality.isNaN ? 1 : min(max(options.quality, 0), 1)
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        // libjpeg only reads the rows, but its struct has no const.
        let image = kf_jpeg_image(
            rows: UnsafeMutableRawPointer(mutating: flat.unsafeBase).assumingMemoryBound(to: UInt8.self),
            bytes_per_row: flat.bytesPerRow, width: UInt32(flat.width), height: UInt32(flat.height),
            samples: flat.format.layout == .gray ? KF_JPEG_GRAY : KF_JPEG_RGBA)
        defer { withExtendedLifetime(flat) {} }
        try JPEGStatus.check { message in
            kf_jpeg_encode(
                image, max(1, Int32((quality * 100).rounded())), quality < Self.fullChromaQuality, &bytes,
                &count, message)
        }
        guard let bytes else { throw .emptyImage }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}
