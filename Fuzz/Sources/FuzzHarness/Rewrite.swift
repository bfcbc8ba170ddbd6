public import Foundation
public import Kingfisher

/// Writes a small animation anew and reads it back; ends the process where that fails, or where
/// it comes back with other frames.
///
/// Frames that cannot be had are written as those before. A palette changes colours; the other formats are
/// written without loss, so that pixels must be those of the source as well.
public func rewrite(_ data: Data, from codec: any ImageCodec, to other: any ImageCodec) {
    guard let header = try? codec.header(of: data), 2...32 ~= header.frameCount,
        header.size.area * header.frameCount <= 1 << 15,
        let source = try? codec.frameSource(for: data)
    else { return }
    do {
        let image = try Image.decode(data, using: codec)
        let file = try image.encoded(using: other, options: ImageEncodingOptions(isLossless: true))
        guard let written = try other.frameSource(for: file) else { preconditionFailure("a still") }
        precondition(written.frameCount == source.frameCount, "another number of frames")
        for number in 0..<source.frameCount {
            let read = try written.frame(at: number)?.converted(to: .rgba8Premultiplied)
            precondition(read?.size == header.displaySize, "frame \(number) was written as something else")
            guard other.format != .GIF, let frame = source.frame(at: number) else { continue }
            let pixels = try frame.converted(to: .rgba8Premultiplied).pixels()
            precondition(read?.pixels() == pixels, "frame \(number) was written with other pixels")
        }
    } catch {
        preconditionFailure("an animation that cannot be written: \(error)")
    }
}

extension PixelBuffer {
    /// The pixels of an image of four bytes each, the first byte lowest, without the rows' padding.
    public func pixels() -> [UInt32] {
        precondition(format.bytesPerPixel == 4, "pixels of other than four bytes")
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
