import Glibc

/// Decoded pixels: rows of interleaved samples, top row first, immutable after initialization.
///
/// Safe to read from any thread. Rows start at multiples of `bytesPerRow`; the bytes between the last pixel
/// of a row and the next row are unspecified. Colours are sRGB.
public final class PixelBuffer: @unchecked Sendable {
    // Unchecked: `base` is written only inside `init` or by the only owner, and freed only in `deinit`.
    /// Pixels per row.
    public let width: Int
    /// The number of rows.
    public let height: Int
    /// Bytes from the start of one row to the start of the next; a multiple of 64, unless rows were adopted.
    public let bytesPerRow: Int
    /// The meaning of the bytes.
    public let format: PixelFormat
    /// The size in pixels that the image covers. It is smaller than `size` if the last column or row covers
    /// less than a whole pixel, for example after a reduction by whole boxes. Resampling must use it;
    /// otherwise the image would be stretched, at a cost of 11 dB.
    package let extent: PixelExtent

    private let base: UnsafeMutableRawPointer
    /// Frees adopted rows; nil for rows of `PixelMemory`.
    private let release: (@Sendable (UnsafeMutableRawPointer) -> Void)?

    /// Bits of one sample: 8 or 16.
    public var bitsPerComponent: Int { format.depth.rawValue }
    /// Bits per pixel, including alpha.
    public var bitsPerPixel: Int { format.bytesPerPixel * 8 }
    /// The name of the colour space; always sRGB.
    public var colorSpaceName: String { "sRGB" }
    /// Bytes of the rows, including padding.
    public var byteCount: Int { bytesPerRow * height }

    /// Width and height.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Makes an image of `width` x `height` pixels that `body` fills.
    ///
    /// `body` gets the rows (zeroed if `zeroed` is true, otherwise undefined) and their distance in bytes,
    /// and runs once on the caller's thread. Throws the error of `body`, `ImageCodecError.tooLarge` if a side
    /// is not positive, and `outOfMemory` if the allocation fails.
    public convenience init(
        width: Int, height: Int, format: PixelFormat, zeroed: Bool = false,
        filling body: (_ rows: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> Void
    ) throws {
        let size = PixelSize(width: width, height: height)
        try self.init(size, format: format, extent: PixelExtent(size), zeroed: zeroed, filling: body)
    }

    package init(
        _ size: PixelSize, format: PixelFormat, extent: PixelExtent, zeroed: Bool = false,
        filling body: (_ rows: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> Void
    ) throws {
        let (width, height) = (size.width, size.height)
        let count = Self.byteCount(of: size, format: format)
        guard width > 0, height > 0, count < .max else {
            throw ImageCodecError.tooLarge(width: width, height: height)
        }
        guard let base = PixelMemory.take(count) else { throw ImageCodecError.outOfMemory }
        let bytesPerRow = count / height
        if zeroed { memset(base, 0, count) }
        do {
            try body(UnsafeMutableRawBufferPointer(start: base, count: count), bytesPerRow)
        } catch {
            PixelMemory.giveBack(base, count: count)
            throw error
        }
        self.base = base
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.format = format
        self.extent = extent
        release = nil
    }

    /// Makes an image from rows allocated elsewhere, for example by a C library, without a copy.
    ///
    /// `rows` holds `bytesPerRow` x `height` bytes and is owned by the image. `release` frees it; it is
    /// called once, on the thread that releases the last reference, or before this throws. Throws `tooLarge`
    /// and `tooMuchMemory` above `ImageLimits`, and `unsupported` if `rows` or `bytesPerRow` is not a
    /// multiple of a pixel's bytes, or `bytesPerRow` is too small for `width` pixels.
    public init(
        adopting rows: UnsafeMutableRawPointer, width: Int, height: Int, bytesPerRow: Int,
        format: PixelFormat, release: @escaping @Sendable (UnsafeMutableRawPointer) -> Void
    ) throws(ImageCodecError) {
        let size = PixelSize(width: width, height: height)
        do throws(ImageCodecError) {
            try ImageLimits.current.check(size, format: format)
            let (count, overflow) = bytesPerRow.multipliedReportingOverflow(by: height)
            guard !overflow, count <= ImageLimits.maximumFrameBytes else { throw .tooMuchMemory }
            let pixel = format.bytesPerPixel
            let isAligned = bytesPerRow % pixel == 0 && UInt(bitPattern: rows) % UInt(pixel) == 0
            guard isAligned, bytesPerRow >= width * pixel else {
                throw .unsupported("rows of \(bytesPerRow) bytes for \(width) pixels of \(pixel) bytes")
            }
        } catch {
            release(rows)
            throw error
        }
        base = rows
        self.width = width
        self.height = height
        self.bytesPerRow = bytesPerRow
        self.format = format
        extent = PixelExtent(size)
        self.release = release
    }

    /// Bytes of an image of `size`, including padding; saturates instead of overflowing.
    static func byteCount(of size: PixelSize, format: PixelFormat) -> Int {
        let packed = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        let padded = packed.partialValue.addingReportingOverflow(63)
        guard !packed.overflow, !padded.overflow else { return .max }
        let total = (padded.partialValue & ~63).multipliedReportingOverflow(by: size.height)
        return total.overflow ? .max : total.partialValue
    }

    deinit {
        guard let release else { return PixelMemory.giveBack(base, count: byteCount) }
        release(base)
    }

    /// Calls `body` with the rows: `height` rows, `bytesPerRow` bytes apart. The pointer is invalid
    /// afterwards.
    public func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try withExtendedLifetime(self) {
            try body(UnsafeRawBufferPointer(start: base, count: byteCount))
        }
    }

    func changeRows(_ body: (_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int) -> Void) {
        withExtendedLifetime(self) { body(base, bytesPerRow) }
    }

    /// The first row. The caller must keep this object alive while using the pointer.
    package var unsafeBase: UnsafeRawPointer { UnsafeRawPointer(base) }

    /// The samples of the pixel at (`x`, `y`) from the top left, each 0...255 or 0...65,535; nil out of
    /// range.
    public func samples(x: Int, y: Int) -> [Int]? {
        guard x >= 0, y >= 0, x < width, y < height else { return nil }
        let channels = format.layout.channels
        return withUnsafeBytes { bytes in
            (0..<channels).map { channel in
                switch format.depth {
                case .eight: Int(bytes[y * bytesPerRow + x * channels + channel])
                case .sixteen:
                    Int(
                        bytes.loadUnaligned(
                            fromByteOffset: y * bytesPerRow + (x * channels + channel) * 2, as: UInt16.self))
                }
            }
        }
    }
}
