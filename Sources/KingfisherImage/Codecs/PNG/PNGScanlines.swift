import CKernels

/// The rows of a picture as PNG stores them (W3C PNG, sections 7 and 9): straight alpha, 16-bit samples most
/// significant byte first, each row behind the number of its filter.
///
/// Any rows can be had in any order; a filter needs the row above, which is then made, too.
struct PNGScanlines: ~Copyable {
    let pixels: PixelBuffer
    let colorType: PNGFileHeader.ColorType
    /// Bytes of a row, with the number of its filter.
    let length: Int

    /// Two rows, each behind `lead` zeroes: what filters find to the left of the first pixel.
    private let rows: Scratch
    /// A row of the picture, divided by its alpha.
    private let straight: Scratch

    /// Bytes of the widest pixel, and such that rows begin at multiples of 64.
    private static let lead = 64

    /// `colorType` may have no alpha where all pixels are opaque, and no colour where they are grey.
    init(_ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType) {
        self.pixels = pixels
        self.colorType = colorType
        length = 1 + pixels.width * colorType.channels * pixels.bitsPerComponent / 8
        rows = Scratch(byteCount: 2 * Self.stride(of: length))
        straight = Scratch(
            byteCount: Self.divides(pixels, colorType) ? pixels.width * pixels.format.bytesPerPixel : 0)
    }

    /// The type with the fewest channels that keeps the picture, whose layout tells whether it is grey.
    static func colorType(of pixels: PixelBuffer) -> PNGFileHeader.ColorType {
        let opaque = pixels.isEntirelyOpaque
        return switch pixels.format.layout {
        case .gray: .gray
        case .grayAlpha: opaque ? .gray : .grayAlpha
        case .rgba: opaque ? .rgb : .rgba
        }
    }

    /// Bytes of all rows.
    var byteCount: Int { length * pixels.height }

    /// Puts the rows of `range` into `target`, which has room for `length` bytes each.
    func filter(_ range: Range<Int>, into target: UnsafeMutablePointer<UInt8>) {
        withExtendedLifetime(pixels) {
            var above = load(range.lowerBound - 1)
            for y in range {
                let row = load(y)
                kf_png_filter(
                    KernelLevel.current.native, row, above, length - 1,
                    colorType.channels * pixels.bitsPerComponent / 8,
                    target + (y - range.lowerBound) * length)
                above = row
            }
        }
    }

    /// Row `y` without a filter, until the row after the next one is loaded; zeroes above the first one.
    private func load(_ y: Int) -> UnsafeMutablePointer<UInt8> {
        let row = rows.bytes + (y & 1) * Self.stride(of: length) + Self.lead
        guard y >= 0 else {
            row.update(repeating: 0, count: length - 1)
            return row
        }
        var source = pixels.unsafeBase + y * pixels.bytesPerRow
        let (from, to) = (Int32(pixels.format.layout.channels), Int32(colorType.channels))
        let divides = Self.divides(pixels, colorType)
        switch pixels.format.depth {
        case .eight:
            if divides {
                kf_unpremultiply8(
                    source.assumingMemoryBound(to: UInt8.self), pixels.width, from, straight.bytes)
                source = UnsafeRawPointer(straight.bytes)
            }
            kf_png_pack8(source.assumingMemoryBound(to: UInt8.self), pixels.width, from, to, row)
        case .sixteen:
            if divides {
                kf_unpremultiply16(
                    source.assumingMemoryBound(to: UInt16.self), pixels.width, from,
                    straight.samples(as: UInt16.self))
                source = UnsafeRawPointer(straight.bytes)
            }
            kf_png_pack16(source.assumingMemoryBound(to: UInt16.self), pixels.width, from, to, row)
        }
        return row
    }

    private static func stride(of length: Int) -> Int { lead + (length + 63) & ~63 }

    private static func divides(_ pixels: PixelBuffer, _ colorType: PNGFileHeader.ColorType) -> Bool {
        pixels.format.alpha == .premultiplied && colorType.hasAlpha
    }
}
