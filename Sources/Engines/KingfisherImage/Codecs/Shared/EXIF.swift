/// EXIF metadata (CIPA DC-008, a TIFF file inside a segment or chunk): the orientation and the thumbnail.
///
/// Safe on untrusted bytes: malformed metadata is ignored.
public enum EXIF {
    private enum Tag {
        static let compression = 0x0103
        static let orientation = 0x0112
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
    }

    private static let jpegCompression = 6

    /// The orientation in an APP1 segment; nil if the segment is not EXIF, has none or is malformed.
    public static func orientation(inAPP1 segment: ByteReader) -> Image.Orientation? {
        tiff(inAPP1: segment).flatMap(orientation(inTIFF:))
    }

    /// The orientation in a WebP file's EXIF chunk. The specification requires a bare TIFF file; many writers
    /// prepend the prefix of the JPEG segment.
    public static func orientation(inChunk chunk: ByteReader) -> Image.Orientation? {
        orientation(inTIFF: chunk)
    }

    /// The orientation in the first directory of a TIFF file, with or without the prefix of the JPEG segment;
    /// the second directory describes the thumbnail.
    public static func orientation(inTIFF tiff: ByteReader) -> Image.Orientation? {
        guard let file = TIFFFile(tiff), let value = file.value(of: Tag.orientation, .short, in: file.first)
        else { return nil }
        return Image.Orientation(exif: value)
    }

    /// The bytes of the JPEG thumbnail in an APP1 segment; nil if there is none.
    public static func thumbnail(inAPP1 segment: ByteReader) -> ByteReader? {
        guard let tiff = tiff(inAPP1: segment), let file = TIFFFile(tiff),
            let second = file.next(after: file.first),
            file.value(of: Tag.compression, .short, in: second) == jpegCompression,
            let offset = file.value(of: Tag.thumbnailOffset, .long, in: second),
            let length = file.value(of: Tag.thumbnailLength, .long, .short, in: second)
        else { return nil }
        return tiff.slice(at: offset, count: length)
    }

    private static func tiff(inAPP1 segment: ByteReader) -> ByteReader? {
        guard segment.has("Exif\0\0", at: 0) else { return nil }
        return segment.slice(at: 6, count: segment.count - 6)
    }
}
