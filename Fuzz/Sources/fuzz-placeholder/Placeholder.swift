import Foundation
import Kingfisher

/// BlurHash and ThumbHash: text and bytes that a server sends with a URL.
///
/// The first byte selects the size of the image.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let first = input.first else { return 0 }
    let text = String(decoding: input.dropFirst(), as: UTF8.self)
    let side = Int(first % 64)
    if let hash = try? BlurHash(text) { decode(hash, text, side: side, punch: Double(first) / 32) }
    if let hash = try? ThumbHash(base64: text) { decode(hash, side: side) }
    if let hash = try? ThumbHash(bytes: input.dropFirst()) { decode(hash, side: side) }
    return 0
}

private func decode(_ hash: BlurHash, _ text: String, side: Int, punch: Double) {
    let (x, y) = hash.components
    precondition((1...9).contains(x) && (1...9).contains(y), "the number of components is out of range")
    precondition(hash.string == text && text.utf8.count == 4 + 2 * x * y, "the text differs")
    let size = PixelSize(width: side, height: 64 - side)
    guard let image = try? hash.image(size: size, punch: punch) else {
        return precondition(side == 0, "a valid hash has no image")
    }
    precondition(image.pixels?.size == size, "the size differs")
    guard let again = try? BlurHash(of: image, components: (x, y)) else {
        preconditionFailure("the image has no hash")
    }
    precondition(again.components == (x, y), "the components differ")
    precondition((try? BlurHash(again.string)) == again, "an encoded hash cannot be read")
}

private func decode(_ hash: ThumbHash, side: Int) {
    precondition(hash.bytes.count < 32, "the hash is too long")
    precondition((1.0 / 7...7).contains(hash.aspectRatio), "the aspect ratio is out of range")
    precondition((try? ThumbHash(base64: hash.base64)) == hash, "the hash differs when read again")
    guard let image = try? hash.image(longerSide: side), let pixels = image.pixels else {
        return precondition(side == 0, "a valid hash has no image")
    }
    precondition(max(pixels.width, pixels.height) == side, "the size differs")
    guard let again = try? ThumbHash(of: image) else { preconditionFailure("the image has no hash") }
    precondition((try? ThumbHash(bytes: again.bytes)) == again, "an encoded hash cannot be read")
}
