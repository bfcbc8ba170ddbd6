import Foundation
import Kingfisher
import TestHelpers

/// A test format that is decoded at any size: "KFVECTOR", then a byte each for width and height.
struct ScalableCodec: ImageCodec {
    static let file = Data("KFVECTOR".utf8) + [24, 16]

    static let context = DecodingContext(codecs: CodecRegistry([ScalableCodec()]))

    var format: ImageFormat { ImageFormat(name: "VECTOR") }
    var capabilities: CodecCapabilities { [.decodesSmall, .decodesAnySize] }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Self.file.prefix(8)) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        guard file.data.count == 10 else { throw .truncated }
        let bytes = Array(file.data.suffix(2))
        var header = ImageHeader(size: PixelSize(width: Int(bytes[0]), height: Int(bytes[1])))
        header.scalableSize = PixelSize(width: header.size.width << 12, height: header.size.height << 12)
        let size = header.size
        return TestDecoder(header) { target throws(ImageCodecError) in
            try PixelBuffer.decoding(target.size ?? size, format: .rgba8Opaque, zeroed: true) {
                _, _ throws(ImageCodecError) in
            }
        }
    }
}
