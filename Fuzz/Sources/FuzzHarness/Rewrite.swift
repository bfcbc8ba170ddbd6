public import Foundation
public import Kingfisher

/// Writes a small animation in another format and reads it again. Traps if that fails or if the frames
/// differ.
///
/// A missing frame is written as the previous one. A palette changes colours; the other formats are written
/// losslessly, so their pixels must be equal to those of the source.
public func rewrite(_ data: Data, from codec: any ImageCodec, to other: any ImageCodec) {
    guard let decoder = opened(data, by: codec), case let header = decoder.header,
        2...32 ~= header.frameCount, header.size.area * header.frameCount <= 1 << 15,
        let source = try? decoder.frames()
    else { return }
    do {
        let image = try Image.decode(data, using: codec)
        let file = try image.encoded(using: other, options: ImageEncodingOptions(isLossless: true))
        guard let written = try other.open(EncodedFile(file)).frames() else {
            preconditionFailure("wrote a still image")
        }
        precondition(written.frameCount == source.frameCount, "the number of frames differs")
        for number in 0..<source.frameCount {
            let read = try written.frame(at: number)?.converted(to: .rgba8Premultiplied)
            precondition(read?.size == header.displaySize, "the size of frame \(number) differs")
            guard other.format != .GIF, let frame = source.frame(at: number) else { continue }
            let pixels = try frame.converted(to: .rgba8Premultiplied).pixels()
            precondition(read?.pixels() == pixels, "the pixels of frame \(number) differ")
        }
    } catch {
        preconditionFailure("cannot write an animation: \(error)")
    }
}

extension PixelBuffer {
    /// The pixels of an image with four bytes per pixel, the first byte lowest, without padding.
    public func pixels() -> [UInt32] {
        precondition(format.bytesPerPixel == 4, "pixels do not have four bytes")
        return withUnsafeBytes { rows in
            (0..<height).flatMap { row in
                (0..<width).map { column in
                    let offset = row * bytesPerRow + column * 4
                    return UInt32(littleEndian: rows.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
                }
            }
        }
    }
}
