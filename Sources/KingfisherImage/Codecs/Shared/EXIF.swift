/// The one thing that this library reads from EXIF metadata (CIPA DC-008, a TIFF file inside a segment or chunk).
package enum EXIF {
    private static let orientationTag = 0x0112
    private static let shortType = 3
    /// Entries of one directory; real ones have a few dozen.
    private static let maximumEntries = 1_000

    /// The orientation that an APP1 segment carries; nil when it is not EXIF, says nothing or is broken.
    static func orientation(inAPP1 segment: ByteReader) -> Image.Orientation? {
        guard segment.has("Exif\0\0", at: 0), let tiff = segment.slice(at: 6, count: segment.count - 6) else {
            return nil
        }
        return orientation(inTIFF: tiff)
    }

    /// The orientation that a WebP file's EXIF chunk carries. The container's specification asks for the bare TIFF
    /// file; many writers put the JPEG segment's prefix before it.
    package static func orientation(inChunk chunk: ByteReader) -> Image.Orientation? {
        orientation(inAPP1: chunk) ?? orientation(inTIFF: chunk)
    }

    /// Looks the tag up in the first directory only: the second one is the thumbnail's.
    static func orientation(inTIFF tiff: ByteReader) -> Image.Orientation? {
        let bigEndian: Bool
        if tiff.has("MM", at: 0) {
            bigEndian = true
        } else if tiff.has("II", at: 0) {
            bigEndian = false
        } else {
            return nil
        }
        guard tiff.uint16(at: 2, bigEndian: bigEndian) == 42,
            let directory = tiff.uint32(at: 4, bigEndian: bigEndian),
            let count = tiff.uint16(at: directory, bigEndian: bigEndian)
        else { return nil }
        for entry in 0..<min(count, maximumEntries) {
            let offset = directory + 2 + entry * 12
            guard let tag = tiff.uint16(at: offset, bigEndian: bigEndian) else { return nil }
            guard tag == orientationTag else { continue }
            guard tiff.uint16(at: offset + 2, bigEndian: bigEndian) == shortType,
                let value = tiff.uint16(at: offset + 8, bigEndian: bigEndian)
            else { return nil }
            return Image.Orientation(exif: value)
        }
        return nil
    }
}
