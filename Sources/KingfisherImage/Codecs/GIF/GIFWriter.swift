import Foundation

/// Puts a GIF together (GIF89a specification): frames with a palette each.
struct GIFWriter {
    private(set) var data = Data("GIF89a".utf8)

    /// Throws `tooLarge` for a side that 16 bits cannot tell.
    init(canvas: PixelSize) throws(ImageCodecError) {
        guard let width = UInt16(exactly: canvas.width), let height = UInt16(exactly: canvas.height) else {
            throw .tooLarge(width: canvas.width, height: canvas.height)
        }
        append(width)
        append(height)
        // Eight bits of each colour in the source, no global palette, no background, square pixels.
        data += [0x70, 0, 0]
    }

    /// Says how often the animation plays; 0, or less, means for ever. Comes before the frames.
    ///
    /// The extension counts repetitions, and a file without one plays once. It ends at 65,535.
    mutating func appendLoop(count: Int) {
        if count == 1 { return }
        data += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1]
        append(UInt16(clamping: max(count, 1) - 1))
        data.append(0)
    }

    /// Appends a frame; `hundredths` of a second is nil for a still. With `clears` the frame's rectangle is
    /// empty when the next one comes.
    mutating func append(_ image: IndexedImage, hundredths: Int?, clears: Bool = false) {
        if image.transparentIndex != nil || hundredths != nil {
            appendControl(image, hundredths: hundredths ?? 0, clears: clears)
        }
        let bits = max(1, (image.colors.count - 1).bitLength)
        data.append(0x2C)
        for side in [image.area.left, image.area.top, image.area.width, image.area.height] {
            append(UInt16(clamping: side))
        }
        data.append(0x80 | UInt8(bits - 1))
        for color in image.colors { data += [color.x, color.y, color.z] }
        data += Data(count: 3 * (1 << bits - image.colors.count))
        data += LZWEncoder.pack(image.indices, minimumCodeSize: max(2, bits))
    }

    /// Ends the file.
    mutating func finish() { data.append(0x3B) }

    private mutating func appendControl(_ image: IndexedImage, hundredths: Int, clears: Bool) {
        let disposal = clears ? Disposal.background : Disposal.keep
        data += [0x21, 0xF9, 4, disposal << 2 | (image.transparentIndex == nil ? 0 : 1)]
        append(UInt16(clamping: hundredths))
        data += [UInt8(clamping: image.transparentIndex ?? 0), 0]
    }

    private mutating func append(_ value: UInt16) {
        data += [UInt8(value & 255), UInt8(value >> 8)]
    }

    private enum Disposal {
        static let keep: UInt8 = 1
        static let background: UInt8 = 2
    }
}

extension Int {
    /// Bits that a number which is not negative takes.
    fileprivate var bitLength: Int { Int.bitWidth - leadingZeroBitCount }
}
