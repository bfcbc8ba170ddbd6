/// EXIF metadata (CIPA DC-008, a TIFF file inside a segment or chunk): the orientation and the thumbnail.
///
/// Safe on untrusted bytes: broken metadata says nothing.
public enum EXIF {
    private enum Tag {
        static let compression = 0x0103
        static let orientation = 0x0112
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
    }

    private static let jpegCompression = 6

    /// The orientation that an APP1 segment carries; nil when it is not EXIF, says nothing or is broken.
    public static func orientation(inAPP1 segment: ByteReader) -> Image.Orientation? {
        tiff(inAPP1: segment).flatMap(orientation(inTIFF:))
    }

    /// The orientation that a WebP file's EXIF chunk carries. The container's specification asks for the bare
    /// TIFF file; many writers put the JPEG segment's prefix before it.
    public static func orientation(inChunk chunk: ByteReader) -> Image.Orientation? {
        orientation(inAPP1: chunk) ?? orientation(inTIFF: chunk)
    }

    /// The orientation that a bare TIFF file carries, in its first directory; the second one is the
    /// thumbnail's.
    public static func orientation(inTIFF tiff: ByteReader) -> Image.Orientation? {
        guard let directories = TIFFDirectories(tiff),
            let value = directories.value(of: Tag.orientation, .short, in: directories.first)
        else { return nil }
        return Image.Orientation(exif: value)
    }

    /// The bytes of the small JPEG that an APP1 segment carries; nil when there is none.
    public static func thumbnail(inAPP1 segment: ByteReader) -> ByteReader? {
        guard let tiff = tiff(inAPP1: segment), let directories = TIFFDirectories(tiff),
            let second = directories.next(after: directories.first),
            directories.value(of: Tag.compression, .short, in: second) == jpegCompression,
            let offset = directories.value(of: Tag.thumbnailOffset, .long, in: second),
            let length = directories.value(of: Tag.thumbnailLength, .long, .short, in: second)
        else { return nil }
        return tiff.slice(at: offset, count: length)
    }

    private static func tiff(inAPP1 segment: ByteReader) -> ByteReader? {
        guard segment.has("Exif\0\0", at: 0) else { return nil }
        return segment.slice(at: 6, count: segment.count - 6)
    }
}
