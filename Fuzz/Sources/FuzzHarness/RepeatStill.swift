public import Foundation
public import Kingfisher

/// Traps if an image that `codec` decodes is another one after it was encoded and decoded again, or if
/// decoding takes more memory than the decoder says.
public func repeatStill(_ data: Data, with codec: any ImageCodec) {
    guard let decoder = opened(data, by: codec), decoder.header.size.area <= fuzzedArea,
        let pixels = try? decoder.decode(.full)
    else { return }
    precondition(decoder.memory(for: .full) >= pixels.byteCount, "more memory than the decoder says")
    guard let file = try? codec.encode(pixels, options: ImageEncodingOptions()) else {
        preconditionFailure("an image that cannot be written")
    }
    precondition(file.withUnsafeBytes(codec.matches), "a file that its codec does not recognize")
    let again = try? opened(file, by: codec)?.decode(.full)
    precondition(again?.size == pixels.size && again?.format == pixels.format, "another size or format")
    for y in 0..<min(pixels.height, 64) {
        for x in 0..<min(pixels.width, 64) {
            precondition(again?.samples(x: x, y: y) == pixels.samples(x: x, y: y), "other pixels")
        }
    }
}
