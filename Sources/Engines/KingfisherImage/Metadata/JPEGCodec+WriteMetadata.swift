package import Foundation

extension JPEGCodec {
    /// Rebuilds the file with the blocks instead of its metadata; the pixels' bytes do not change. The ICC
    /// profile, JFIF's density, Adobe's colour transform and a gain map stay.
    ///
    /// Throws `tooMuchMetadata` for a block of more than 64 KiB, and for the second packet of XMP.
    package func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        var segments: [UInt8] = []
        if let exif = blocks.exif {
            let tiff = ImageMetadataBlocks.tiff(exif)
            segments += try JPEGSegmentBytes.segment(0xE1, Array("Exif\0\0".utf8) + tiff)
        } else {
            let orientation = try open(EncodedFile(file)).header.orientation
            if orientation != .up { segments += JPEGSegmentBytes.exif(orientation) }
        }
        if let xmp = blocks.xmp {
            segments += try JPEGSegmentBytes.segment(
                0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + [UInt8](xmp))
        }
        guard blocks.extendedXMP == nil else { throw .tooMuchMetadata }
        if let iptc = blocks.iptc {
            let length = UInt32(clamping: iptc.count).bigEndianBytes
            let head = Array("Photoshop 3.0\0".utf8) + Array("8BIM".utf8) + [0x04, 0x04, 0, 0] + length
            let padding: [UInt8] = iptc.count % 2 == 1 ? [0] : []
            segments += try JPEGSegmentBytes.segment(0xED, head + [UInt8](iptc) + padding)
        }
        let rebuilt = try JPEGStripper.rebuilt(file, with: segments)
        return try gainMap(in: file).map { map throws(ImageCodecError) in try adding(map, to: rebuilt) }
            ?? rebuilt
    }
}
