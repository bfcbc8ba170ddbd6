public import Kingfisher

/// QOI, "The Quite OK Image Format", version 1.0 of its specification (qoiformat.org).
public struct QOICodec: ImageCodec {
    public init() {}

    public var format: ImageFormat { .qoi }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: "qoif".utf8)
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try QOIDecoder(file)
    }

    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        let isOpaque = pixels.format.isOpaque
        let pixels = try pixels.converted(to: isOpaque ? .rgba8Opaque : .rgba8Straight)
        var writer = QOIWriter(pixels.size, channels: isOpaque ? 3 : 4)
        pixels.withUnsafeBytes { rows in
            for y in 0..<pixels.height {
                for x in 0..<pixels.width {
                    let offset = y * pixels.bytesPerRow + x * 4
                    writer.append(rows.loadUnaligned(fromByteOffset: offset, as: QOIPixel.self))
                }
            }
        }
        return writer.finish()
    }
}

extension ImageFormat {
    public static let qoi = ImageFormat(name: "QOI")
}

extension ImageCodec where Self == QOICodec {
    /// Reads and writes QOI: `ImageCodecs.register(.qoi)`.
    public static var qoi: QOICodec { QOICodec() }
}
