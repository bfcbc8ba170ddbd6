import CAVIF
import KingfisherCodecSupport
import KingfisherISOBoxes

/// The part of the stored image that is shown (`clap`: ISO/IEC 14496-12, 12.1.4).
struct AVIFCrop: Equatable {
    let stored: PixelSize
    let left: Int
    let top: Int
    let size: PixelSize

    var isWhole: Bool { size == stored }

    /// All of the image if `clap` is missing or malformed, has fractions of pixels or exceeds the image.
    init(_ image: UnsafePointer<avifImage>) {
        stored = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        let clap = image.pointee.clap
        guard image.pointee.transformFlags & UInt32(AVIF_TRANSFORM_CLAP.rawValue) != 0,
            let columns = CleanAperture.span(
                of: stored.width, clap.widthN, clap.widthD, clap.horizOffN, clap.horizOffD),
            let rows = CleanAperture.span(
                of: stored.height, clap.heightN, clap.heightD, clap.vertOffN, clap.vertOffD)
        else {
            (left, top, size) = (0, 0, stored)
            return
        }
        (left, top) = (columns.lowerBound, rows.lowerBound)
        size = PixelSize(width: columns.count, height: rows.count)
    }
}

extension AVIFInfo {
    /// The orientation of `irot` (anticlockwise quarter turns) followed by `imir` (ISO/IEC 23008-12, 6.5.10
    /// and 6.5.12) in EXIF's numbers.
    static func orientation(of image: UnsafePointer<avifImage>) -> Image.Orientation {
        let flags = image.pointee.transformFlags
        var turns = ISOTurns()
        if flags & UInt32(AVIF_TRANSFORM_IROT.rawValue) != 0 {
            turns.rotate(Int(image.pointee.irot.angle & 3))
        }
        if flags & UInt32(AVIF_TRANSFORM_IMIR.rawValue) != 0 {
            turns.reflect(Int(kf_avif_mirror_axis(image)))
        }
        return turns.orientation
    }
}
