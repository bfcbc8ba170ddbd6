import CKernels

/// The rows of an image as PNG stores them (W3C PNG, sections 7 and 9): straight alpha, 16-bit samples most
/// significant byte first, each row behind the number of its filter.
///
/// Any rows can be had in any order; a filter needs the row above, which is then made, too. Of rows that are
/// longer than any screen is wide, there are never more than pieces.
struct PNGScanlines: ~Copyable {
    let pixels: PixelBuffer
    let colorType: PNGFileHeader.ColorType
    /// Bytes of a row, with the number of its filter.
    let length: Int
    /// Pixels of the first piece of a row, and of all others but the last: a whole row unless it is long.
    let piece: Int

    /// Bytes of a pixel.
    private let step: Int
    /// Two rows' pieces, each behind `lead` bytes: what filters find to the left of the first pixel.
    private let rows: Scratch
    /// A piece of a row of the image, divided by its alpha.
    private let straight: Scratch

    /// Bytes of the widest pixel, and such that pieces begin at multiples of 64.
    private static let lead = 64
    private static let longestPiece = 1 << 16

    /// `colorType` may have no alpha where all pixels are opaque, and no colour where they are grey.
    init(_ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType) throws(ImageCodecError) {
        let step = colorType.channels * pixels.bitsPerComponent / 8
        let piece = min(pixels.width, Self.longestPiece)
        let rows = try Scratch(byteCount: 2 * Self.stride(of: piece * step))
        // With the pixel to the left.
        let straight = try Scratch(
            byteCount: Self.divides(pixels, colorType) ? (piece + 1) * pixels.format.bytesPerPixel : 0)
        self.pixels = pixels
        self.colorType = colorType
        self.step = step
        self.piece = piece
        self.rows = rows
        self.straight = straight
        length = 1 + pixels.width * step
    }

    /// The type with the fewest channels that keeps the image, whose layout tells whether it is grey.
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

    /// Bytes of a row's first piece, with the number of its filter.
    var headLength: Int { 1 + piece * step }

    /// Puts the first pieces of the rows of `range` into `target`, which has room for `headLength` bytes
    /// each. They decide on the rows' filters.
    func filter(_ range: Range<Int>, into target: UnsafeMutablePointer<UInt8>) {
        withExtendedLifetime(pixels) {
            var above = load(range.lowerBound - 1, 0..<piece)
            for y in range {
                let row = load(y, 0..<piece)
                kf_png_filter(
                    KernelLevel.current.native, row, above, piece * step, step,
                    target + (y - range.lowerBound) * headLength)
                above = row
            }
        }
    }

    /// Puts the piece of row `y` that begins at pixel `start`, with the filter of that number, into `target`;
    /// returns how many bytes those are.
    func filter(
        _ y: Int, from start: Int, by filter: UInt8, into target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        let columns = start..<min(start + piece, pixels.width)
        let count = columns.count * step
        withExtendedLifetime(pixels) {
            let above = load(y - 1, columns)
            kf_png_filter_piece(
                KernelLevel.current.native, Int32(filter), load(y, columns), above, count, step, target)
        }
        return count
    }

    /// The pixels `columns` of row `y` without a filter, behind the one to their left, until those of the row
    /// after the next one are loaded; zeroes above the first row and to the left of the first pixel.
    private func load(_ y: Int, _ columns: Range<Int>) -> UnsafeMutablePointer<UInt8> {
        let row = rows.bytes + (y & 1) * Self.stride(of: piece * step) + Self.lead
        guard y >= 0 else {
            (row - step).update(repeating: 0, count: step + columns.count * step)
            return row
        }
        let first = max(columns.lowerBound - 1, 0)
        let count = columns.upperBound - first
        let target = row - (columns.lowerBound - first) * step
        if columns.lowerBound == 0 { (row - step).update(repeating: 0, count: step) }
        var source = pixels.unsafeBase + y * pixels.bytesPerRow + first * pixels.format.bytesPerPixel
        let (from, to) = (Int32(pixels.format.layout.channels), Int32(colorType.channels))
        let divides = Self.divides(pixels, colorType)
        switch pixels.format.depth {
        case .eight:
            if divides {
                kf_unpremultiply8(source.assumingMemoryBound(to: UInt8.self), count, from, straight.bytes)
                source = UnsafeRawPointer(straight.bytes)
            }
            kf_png_pack8(source.assumingMemoryBound(to: UInt8.self), count, from, to, target)
        case .sixteen:
            if divides {
                kf_unpremultiply16(
                    source.assumingMemoryBound(to: UInt16.self), count, from,
                    straight.samples(as: UInt16.self))
                source = UnsafeRawPointer(straight.bytes)
            }
            kf_png_pack16(source.assumingMemoryBound(to: UInt16.self), count, from, to, target)
        }
        return row
    }

    private static func stride(of length: Int) -> Int { lead + (length + 63) & ~63 }

    private static func divides(_ pixels: PixelBuffer, _ colorType: PNGFileHeader.ColorType) -> Bool {
        pixels.format.alpha == .premultiplied && colorType.hasAlpha
    }
}
