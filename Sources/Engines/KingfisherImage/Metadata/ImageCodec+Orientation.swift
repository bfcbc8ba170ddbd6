public import Foundation

extension ImageCodec {
    /// `file`, which this codec reads, with another orientation in EXIF and, if it states one, in XMP.
    ///
    /// Works on the caller's thread, without encoding pixels. Other metadata stays; WebP loses unknown
    /// chunks. Adds an EXIF block if there is none. The thumbnail in EXIF stays as it is, because programs
    /// turn it as they turn the image.
    ///
    /// Throws `unsupported` for formats without a place for EXIF or whose metadata cannot be written, and for
    /// metadata that is malformed or too large; also what `open(_:)` throws.
    public func settingOrientation(
        _ orientation: Image.Orientation, of file: Data
    ) throws(ImageCodecError) -> Data {
        if format == .JPEG { return try JPEGMetadataEdit.setOrientation(orientation).applied(to: file) }
        let present = try open(EncodedFile(file)).metadata()
        guard present.isComplete else { throw .unsupported("metadata that is too large or damaged") }
        let blocks = try present.oriented(orientation)
        let edited =
            format == .PNG || format == .APNG
            ? try PNGMetadata.replaced(in: file, with: blocks, keepsOthers: true)
            : try replacingMetadata(of: file, with: blocks)
        let decoder = try open(EncodedFile(edited))
        guard decoder.header.orientation == orientation, try decoder.metadata().exif == blocks.exif else {
            throw .unsupported("writing the orientation of \(format)")
        }
        return edited
    }
}

extension ImageMetadataBlocks {
    /// The blocks with the orientation; with an EXIF block, if there is none.
    fileprivate func oriented(_ orientation: Image.Orientation) throws(ImageCodecError) -> ImageMetadataBlocks
    {
        var blocks = self
        // Without the marker, the length and the prefix of JPEG's segment.
        var tiff = Array(JPEGSegmentBytes.exif(orientation).dropFirst(10))
        if let exif {
            guard var editor = TIFFEditor(Self.tiff(exif)),
                editor.setOrientation(orientation) || editor.addOrientation(orientation)
            else { throw .unsupported("a malformed EXIF block") }
            tiff = editor.bytes
        }
        blocks.exif = Data(tiff)
        if let xmp {
            var packet = [UInt8](xmp)
            XMP.setOrientation(orientation, in: &packet, 0..<packet.count)
            blocks.xmp = Data(packet)
        }
        return blocks
    }
}
