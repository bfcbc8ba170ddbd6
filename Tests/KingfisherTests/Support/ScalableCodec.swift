import Foundation
import Kingfisher

/// A test format that is decoded at any size: "KFVECTOR", then a byte each for width and height.
struct ScalableCodec: ImageCodec, DeferredColorCodec {
    static let file = Data("KFVECTOR".utf8) + [24, 16]

    static let context = DecodingContext(codecs: CodecRegistry([ScalableCodec()]))

    var format: ImageFormat { ImageFormat(name: "VECTOR") }
    var capabilities: CodecCapabilities { [.decodesSmall, .decodesAnySize] }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Self.file.prefix(8)) }

    func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        guard data.count == 10 else { throw .truncated }
        let bytes = Array(data.suffix(2))
        var header = ImageHeader(size: PixelSize(width: Int(bytes[0]), height: Int(bytes[1])))
        header.scalableSize = PixelSize(width: header.size.width << 12, height: header.size.height << 12)
        return header
    }

    func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try decodePixels(of: data, shrunkTo: header(of: data).size, acceptsPartialImages: false)
    }

    func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        DecodedPixels(
            try PixelBuffer.decoding(target, format: .rgba8Opaque, zeroed: true) {
                _, _ throws(ImageCodecError) in
            })
    }
}
