import CAVIF
import KingfisherCodecSupport

/// The part of the stored image that is shown (`clap`: ISO/IEC 14496-12, 12.1.4).
struct AVIFCrop: Equatable {
    let stored: PixelSize
    let left: Int
    let top: Int
    let size: PixelSize

    var isWhole: Bool { size == stored }

    /// All of the image, too, if its `clap` is malformed, has fractions of pixels or exceeds the image.
    init(_ image: UnsafePointer<avifImage>) {
        stored = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        let clap = image.pointee.clap
        guard image.pointee.transformFlags & UInt32(AVIF_TRANSFORM_CLAP.rawValue) != 0,
            let columns = Self.span(
                of: stored.width, clap.widthN, clap.widthD, clap.horizOffN, clap.horizOffD),
            let rows = Self.span(
                of: stored.height, clap.heightN, clap.heightD, clap.vertOffN, clap.vertOffD)
        else {
            (left, top, size) = (0, 0, stored)
            return
        }
        (left, top) = (columns.lowerBound, rows.lowerBound)
        size = PixelSize(width: columns.count, height: rows.count)
    }

    /// The clean aperture along one axis: `length` is centred at (whole - 1) / 2 + offset. All fields are 32
    /// bits, so no product overflows 64.
    static func span(
        of whole: Int, _ lengthN: UInt32, _ lengthD: UInt32, _ offsetN: UInt32, _ offsetD: UInt32
    ) -> Range<Int>? {
        let (divisor, offset) = (Int(Int32(bitPattern: offsetD)), Int(Int32(bitPattern: offsetN)))
        guard lengthD > 0, divisor > 0, lengthN % lengthD == 0 else { return nil }
        let length = Int(lengthN / lengthD)
        // Twice the first pixel, times the divisor: (whole - length) + 2 offset.
        let start = (whole - length) * divisor + 2 * offset
        guard length > 0, start >= 0, start % (2 * divisor) == 0 else { return nil }
        let first = start / (2 * divisor)
        return first <= whole - length ? first..<first + length : nil
    }
}

extension AVIFDecoder {
    /// The orientation of `irot` (anticlockwise quarter turns) followed by `imir` (ISO/IEC 23008-12, 6.5.10
    /// and 6.5.12) in EXIF's numbers.
    static func orientation(of image: UnsafePointer<avifImage>) -> Image.Orientation {
        let flags = image.pointee.transformFlags
        let turns = flags & UInt32(AVIF_TRANSFORM_IROT.rawValue) != 0 ? Int(image.pointee.irot.angle & 3) : 0
        guard flags & UInt32(AVIF_TRANSFORM_IMIR.rawValue) != 0 else {
            return Image.Orientation(exif: [1, 8, 3, 6][turns]) ?? .up
        }
        let exif = kf_avif_mirror_axis(image) == 0 ? [4, 5, 2, 7] : [2, 7, 4, 5]
        return Image.Orientation(exif: exif[turns]) ?? .up
    }
}
