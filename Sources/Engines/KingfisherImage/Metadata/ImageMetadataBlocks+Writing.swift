public import Foundation

/// What happens to the metadata of an original when its image is written again.
public enum MetadataPolicy: Hashable, Sendable {
    /// Encoded images have no metadata, and files that are stored unchanged keep theirs.
    case automatic
    /// Encoded images get EXIF, XMP and IPTC of the original.
    case keep
    /// As `keep`, without EXIF's location and XMP's coordinates. Files that are stored unchanged also lose
    /// them.
    case keepWithoutLocation
    /// Only the names of copyright holders and creators: EXIF's `Copyright` (0x8298) and `Artist` (0x013B),
    /// `dc:rights` and `dc:creator` of XMP, By-line (2:80) and Copyright Notice (2:116) of IPTC.
    ///
    /// Files that are stored unchanged lose all other metadata, as with `strip`; also as with `strip`, they
    /// keep the orientation and the colour profile, without which they would look different.
    case keepCopyright
    /// No metadata: it is removed also from files that would be stored unchanged.
    case strip
}

extension MetadataPolicy {
    /// The file that a serializer stores for an image: `file` with metadata by this policy.
    ///
    /// `original` is the file from which the image was read; if `file` equals it, the image is stored
    /// unchanged. `codec` returns the codec of a file; by default the registered one. Metadata for which the
    /// format has no place is omitted. Nil if metadata of an unchanged file cannot be removed. Works on the
    /// caller's thread, without encoding pixels.
    public func applied(
        to file: Data, original: Data?, codec: (Data) -> (any ImageCodec)? = { ImageCodecs.codec(for: $0) }
    ) -> Data? {
        guard self != .automatic else { return file }
        if file == original { return codec(file).flatMap { try? applied(toUnchanged: file, by: $0) } }
        guard self != .strip, let original, let writer = codec(file),
            let reader = codec(original),
            let blocks = try? reader.open(EncodedFile(original)).metadata()
        else { return file }
        return (try? writer.adding(selected(from: blocks), to: file)) ?? file
    }

    /// What an encoded file gets of the blocks of its original, as `ImageEncodingOptions.metadata`; empty for
    /// `automatic` and `strip`.
    public func selected(from blocks: ImageMetadataBlocks) -> ImageMetadataBlocks {
        switch self {
        case .automatic, .strip: ImageMetadataBlocks()
        case .keep: blocks
        case .keepWithoutLocation: blocks.withoutLocation()
        case .keepCopyright: blocks.onlyCopyright()
        }
    }

    /// An unchanged file, which `codec` reads, with metadata by this policy. Works on the caller's thread,
    /// without encoding pixels.
    ///
    /// Throws `unsupported` for metadata that cannot be removed, and the errors of a file that cannot be
    /// read. With `keepWithoutLocation`, files of any format without a location are returned as they are.
    public func applied(
        toUnchanged file: Data, by codec: any ImageCodec
    ) throws(ImageCodecError) -> Data {
        switch self {
        case .automatic, .keep: return file
        case .strip: return try codec.replacingMetadata(of: file, with: ImageMetadataBlocks())
        case .keepWithoutLocation:
            if codec.format == .JPEG { return try JPEGMetadataEdit.removeLocation.applied(to: file) }
            let blocks = try codec.open(EncodedFile(file)).metadata()
            guard LocationSearch.mayFindLocation(in: file, blocks, of: codec) else { return file }
            guard codec.capabilities.contains(.writesMetadata) else {
                throw .unsupported("removing the location of \(codec.format)")
            }
            return try codec.replacingMetadata(of: file, with: blocks.withoutLocation())
        case .keepCopyright:
            let decoder = try codec.open(EncodedFile(file))
            let names = (try? decoder.metadata()).map(CopyrightNames.init) ?? CopyrightNames()
            let blocks = names.blocks(orientation: decoder.header.orientation)
            return try codec.replacingMetadata(of: file, with: blocks)
        }
    }
}

extension ImageCodec {
    /// `file`, which was just encoded from upright pixels, with the metadata of its original.
    func adding(_ blocks: ImageMetadataBlocks, to file: Data) throws(ImageCodecError) -> Data {
        // The codec of an animated format may have written a still in another one.
        let reader = file.withUnsafeBytes(matches) ? self : ImageCodecs.codec(for: file) ?? self
        let adapted = blocks.forWriting(size: try reader.open(EncodedFile(file)).header.size)
        return adapted.byteCount == 0 ? file : try replacingMetadata(of: file, with: adapted)
    }
}

extension ImageMetadataBlocks {
    /// The blocks of a file of a registered format. Throws `unknownFormat`, and what
    /// `ImageCodec.open(_:)` and `ImageDecoder.metadata()` throw.
    public init(of data: Data) throws(ImageCodecError) {
        self = try ImageCodecs.open(data).decoder.metadata()
    }

    /// The blocks without EXIF's GPS directory and without XMP's coordinates, as
    /// `JPEGMetadataEdit.removeLocation` removes them. A block that cannot be examined is omitted, and so are
    /// thumbnails of EXIF and the second XMP packet.
    public func withoutLocation() -> ImageMetadataBlocks {
        var blocks = self
        blocks.exif = exif.flatMap { block in
            guard var editor = TIFFEditor(Self.tiff(block)) else { return nil }
            editor.removeThumbnails()
            return try? Data(LocationEraser.exif(editor.bytes, depth: 0))
        }
        blocks.xmp = xmp.flatMap {
            try? Data(XMPEraser.erased([UInt8]($0), where: XMPEraser.isLocation).bytes)
        }
        blocks.extendedXMP = nil
        return blocks
    }

    /// New blocks with the names of copyright holders and creators only, as `MetadataPolicy.keepCopyright`
    /// lists them, in UTF-8.
    ///
    /// Texts have the limits of `ImageMetadata`. A block that is malformed, or would exceed 65,000 bytes, is
    /// omitted. IPTC declares its encoding (1:90) if a text is not ASCII.
    public func onlyCopyright() -> ImageMetadataBlocks { CopyrightNames(self).blocks() }

    /// The blocks for a file with upright pixels of `size` that are encoded again.
    ///
    /// The orientation becomes 1, EXIF's colour space sRGB. The thumbnail of EXIF and the ICC profile are
    /// omitted: they do not describe the new pixels. So are a second XMP packet, which usually has thumbnails
    /// and the history of editing, what XMP says about a gain map or a video, and XMP that is not UTF-8.
    func forWriting(size: PixelSize) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        if let exif, var editor = TIFFEditor(Self.tiff(exif)) {
            editor.removeThumbnails()
            _ = editor.setOrientation(.up)
            editor.setSize(size)
            editor.setSRGB()
            blocks.exif = Data(editor.bytes)
        }
        if let xmp, let erased = try? XMPEraser.erased([UInt8](xmp), where: XMPEraser.isReference) {
            var bytes = erased.bytes
            XMP.setOrientation(.up, in: &bytes, 0..<bytes.count)
            blocks.xmp = Data(bytes)
        }
        blocks.iptc = iptc
        return blocks
    }

    /// The bytes of the EXIF block without the prefix of JPEG's segment.
    static func tiff(_ block: Data) -> [UInt8] {
        let bytes = [UInt8](block)
        return bytes.starts(with: "Exif\0\0".utf8) ? Array(bytes.dropFirst(6)) : bytes
    }
}
