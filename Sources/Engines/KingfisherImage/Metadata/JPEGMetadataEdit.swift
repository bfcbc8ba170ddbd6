public import Foundation

/// A change of a JPEG file's metadata that leaves its entropy-coded data unchanged, byte for byte.
///
///     let shared = try JPEGMetadataEdit.removeLocation.applied(to: photo)
public enum JPEGMetadataEdit: Hashable, Sendable {
    /// Overwrites coordinates: the GPS directories of EXIF with zeros, and properties of XMP whose names say
    /// latitude, longitude, altitude or GPS with spaces.
    ///
    /// Every segment and comment is examined, with Photoshop's resources and EXIF thumbnails, and so are
    /// images after the first one and the bytes between them. Other application data that still mention a
    /// latitude or longitude become zeros. The file keeps its length, so that the offsets of an image index
    /// (CIPA DC-007) and of a gain map stay valid.
    ///
    /// Names of places (IPTC, XMP), texts of EXIF and XMP, the private binary data of camera makers
    /// (`MakerNote`, FLIR) and images inside XMP are not examined. A file with a video after the image, or
    /// with a location in JUMBF boxes (content credentials), is `unsupported`: there it cannot be removed.
    case removeLocation
    /// Removes all metadata but the ICC profile, the orientation, JFIF's density, and Adobe's colour
    /// transform; also the images after the first one, such as a gain map.
    case removeAll
    /// Writes the EXIF orientation, and the XMP orientation if there is one. Adds an EXIF block if there is
    /// none.
    ///
    /// The offsets of an image index are corrected. A file whose index is malformed, or whose EXIF
    /// block has no room, is `unsupported`.
    case setOrientation(Image.Orientation)

    /// The changed file. Works on the caller's thread; memory is about twice the file.
    ///
    /// Throws `corrupt` for bytes that are not JPEG, `truncated` for a file without its end,
    /// `tooMuchMetadata` above `ImageLimits.maximumMetadataBytes`, and `unsupported` as stated at the edits.
    public func applied(to file: Data) throws(ImageCodecError) -> Data {
        switch self {
        case .removeLocation: try JPEGLocationEraser.applied(to: file)
        case .removeAll: try JPEGStripper.stripped(file)
        case .setOrientation(let orientation): try JPEGOrientationEditor.applied(orientation, to: file)
        }
    }
}

extension Image.Orientation {
    /// The value of the EXIF tag 0x0112.
    var exifValue: Int { (1...8).first { Image.Orientation(exif: $0) == self } ?? 1 }
}

enum JPEGSegmentBytes {
    /// The maximum bytes after the length field.
    static let maximum = 65_533

    /// A segment with its marker; `tooMuchMetadata` if the data do not fit.
    static func segment(_ code: UInt8, _ data: [UInt8]) throws(ImageCodecError) -> [UInt8] {
        guard data.count <= maximum else { throw .tooMuchMetadata }
        return [0xFF, code] + UInt16(data.count + 2).bigEndianBytes + data
    }

    /// A segment of EXIF with the orientation only.
    static func exif(_ orientation: Image.Orientation) -> [UInt8] {
        let tiff: [UInt8] = [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1,
            0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(truncatingIfNeeded: orientation.exifValue), 0, 0,
            0, 0, 0, 0,
        ]
        let data = Array("Exif\0\0".utf8) + tiff
        return [0xFF, 0xE1] + UInt16(data.count + 2).bigEndianBytes + data
    }
}
