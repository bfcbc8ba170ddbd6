import Foundation
import Kingfisher
import TestHelpers

/// A test format whose truncated files can be decoded partially: "KFCUTOFF", a byte each for width and
/// height, then one grey byte for each pixel.
struct PartialCodec: ImageCodec {
    private static let magic = Data("KFCUTOFF".utf8)

    var format: ImageFormat { ImageFormat(name: "CUTOFF") }

    /// Registers the format once.
    static let shared: PartialCodec = {
        ImageCodecs.register(PartialCodec())
        return PartialCodec()
    }()

    /// An image of 8 x 6 pixels of grey 200; the file contains the first `rows` rows.
    static func file(rows: Int) -> Data {
        _ = shared
        return magic + [8, 6] + Data(repeating: 200, count: 8 * rows)
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Self.magic) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        let data = file.data
        guard data.count >= 10 else { throw .truncated }
        let size = PixelSize(width: Int(data[data.startIndex + 8]), height: Int(data[data.startIndex + 9]))
        let endsEarly = data.count < 10 + size.area
        let accepts = file.acceptsPartialImages
        return TestDecoder(ImageHeader(size: size), endsEarly: endsEarly) { _ throws(ImageCodecError) in
            guard accepts || !endsEarly else { throw .truncated }
            return try PixelBuffer.decoding(size, format: .gray8, zeroed: true) { rows, stride in
                for (index, grey) in data.dropFirst(10).prefix(size.area).enumerated() {
                    let offset = index / size.width * stride + index % size.width
                    rows.storeBytes(of: grey, toByteOffset: offset, as: UInt8.self)
                }
            }
        }
    }

    func encode(_ pixels: PixelBuffer, options: ImageEncodingOptions) throws(ImageCodecError) -> Data {
        var data = Self.magic + [UInt8(pixels.width), UInt8(pixels.height)]
        for y in 0..<pixels.height {
            for x in 0..<pixels.width { data.append(UInt8(pixels.samples(x: x, y: y)?.first ?? 0)) }
        }
        return data
    }
}
