import CKernels

/// The rows of an image as PNG stores them (W3C PNG, sections 7 and 9): straight alpha, 16-bit samples in
/// big-endian order, each row preceded by its filter number.
///
/// Rows are available in any order; filtering also loads the row above. Very long rows are processed in
/// pieces.
struct PNGScanlines: ~Copyable {
    let pixels: PixelBuffer
    let colorType: PNGFileHeader.ColorType
    let length: Int
    /// Pixels of every piece of a row but the last; the whole row unless it is very long.
    let piece: Int

    private let step: Int
    /// Pieces of two rows, each after `padding` bytes, which filters read to the left of the first pixel.
    private let rows: Scratch
    private let straight: Scratch

    /// At least the bytes of the widest pixel; a multiple of 64 for alignment.
    private static let padding = 64
    private static let longestPiece = 1 << 16

    /// `colorType` may omit alpha if all pixels are opaque, and colour if they are grey.
    init(_ pixels: PixelBuffer, as colorType: PNGFileHeader.ColorType) throws(ImageCodecError) {
        let step = colorType.channels * pixels.bitsPerComponent / 8
        let piece = min(pixels.width, Self.longestPiece)
        let rows = try Scratch(byteCount: 2 * Self.stride(of: piece * step))
        // Including the pixel to the left.
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

    static func colorType(of pixels: PixelBuffer) -> PNGFileHeader.ColorType {
        let opaque = pixels.isEntirelyOpaque
        return switch pixels.format.layout {
        case .gray: .gray
        case .grayAlpha: opaque ? .gray : .grayAlpha
        case .rgba: opaque ? .rgb : .rgba
        }
    }

    var byteCount: Int { length * pixels.height }

    var headLength: Int { 1 + piece * step }

    /// Filters the first pieces of the rows of `range` into `target`, `headLength` bytes each. They determine
    /// the rows' filters.
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

    /// Loads the pixels `columns` of row `y` and the one to their left, unfiltered. Valid until row `y + 2`
    /// is loaded. Returns zeroes above the first row and to the left of the first pixel.
    private func load(_ y: Int, _ columns: Range<Int>) -> UnsafeMutablePointer<UInt8> {
        let row = rows.bytes + (y & 1) * Self.stride(of: piece * step) + Self.padding
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

    private static func stride(of length: Int) -> Int { padding + (length + 63) & ~63 }

    private static func divides(_ pixels: PixelBuffer, _ colorType: PNGFileHeader.ColorType) -> Bool {
        pixels.format.alpha == .premultiplied && colorType.hasAlpha
    }
}
