import CJPEG
package import Foundation

extension JPEGCodec {
    /// From this quality on, chroma keeps its full resolution (decision 011).
    static let fullChromaQuality = 0.9

    /// From this effort on, Huffman tables are made for the image.
    private static let optimizingEffort = 5

    /// Encodes a baseline or progressive JPEG; greyscale stays greyscale, transparency becomes white.
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
        let chroma = options.chroma ?? (quality < Self.fullChromaQuality ? .quarter : .full)
        let settings = kf_jpeg_settings(
            quality: max(1, Int32((quality * 100).rounded())), chroma_width: chroma == .full ? 1 : 2,
            chroma_height: chroma == .quarter ? 2 : 1,
            optimizes: (options.effort ?? 0) >= Self.optimizingEffort,
            progressive: options.isProgressive)
        defer { withExtendedLifetime(flat) {} }
        try JPEGStatus.check { message in
            kf_jpeg_encode(image, settings, &bytes, &count, message)
        }
        guard let bytes else { throw .emptyImage }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}
