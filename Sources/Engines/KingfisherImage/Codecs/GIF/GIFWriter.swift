import Foundation

/// Writes a GIF (GIF89a specification) with one palette per frame.
struct GIFWriter {
    private(set) var data = Data("GIF89a".utf8)

    init(canvas: PixelSize) throws(ImageCodecError) {
        guard let width = UInt16(exactly: canvas.width), let height = UInt16(exactly: canvas.height) else {
            throw .tooLarge(width: canvas.width, height: canvas.height)
        }
        append(width)
        append(height)
        // Eight bits per colour in the source, no global palette, no background, square pixels.
        data += [0x70, 0, 0]
    }

    /// Writes how often the animation plays; 0 or less means forever. Must precede the frames.
    ///
    /// The extension counts up to 65,535 repetitions; a file without one plays once.
    mutating func appendLoop(count: Int) {
        if count == 1 { return }
        data += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1]
        append(UInt16(clamping: max(count, 1) - 1))
        data.append(0)
    }

    /// Appends a frame that fills `area`; `hundredths` of a second is nil for a still. With `clears` the
    /// frame's rectangle is cleared before the next frame.
    mutating func append(
        _ image: IndexedImage, in area: ChangedArea, hundredths: Int?, clears: Bool = false
    ) {
        if image.transparentIndex != nil || hundredths != nil {
            appendControl(image, hundredths: hundredths ?? 0, clears: clears)
        }
        let bits = max(1, (image.colors.count - 1).bitLength)
        data.append(0x2C)
        for side in [area.left, area.top, area.width, area.height] {
            append(UInt16(clamping: side))
        }
        data.append(0x80 | UInt8(bits - 1))
        for color in image.colors { data += [color.x, color.y, color.z] }
        data += Data(count: 3 * (1 << bits - image.colors.count))
        data += LZWEncoder.pack(image.indices, minimumCodeSize: max(2, bits))
    }

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
    fileprivate var bitLength: Int { Int.bitWidth - leadingZeroBitCount }
}
