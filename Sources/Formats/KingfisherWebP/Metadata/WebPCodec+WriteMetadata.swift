public import Foundation
public import KingfisherCodecSupport

extension WebPCodec {
    /// Rebuilds the file with EXIF and XMP of the blocks instead of its own (RFC 9649, section 2.7); the
    /// bytes of the image do not change. The profile and the orientation stay; WebP has no place for IPTC.
    /// Unknown chunks are removed.
    ///
    /// Throws the errors of `open(_:)`, and `tooLarge` if the file would exceed 4 GiB.
    public func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        let header = try WebPDecoder(EncodedFile(file)).header
        return try file.reading { reader throws(ImageCodecError) in
            var extended = WebPContainer(header)
            var offset = 12
            let end = min(reader.count, 8 + (reader.uint32(at: 4, bigEndian: false) ?? 0))
            while offset < end, let name = reader.uint32(at: offset, bigEndian: false),
                let length = reader.uint32(at: offset + 4, bigEndian: false)
            {
                guard let body = reader.slice(at: offset + 8, count: length) else { throw .truncated }
                extended.take(UInt32(truncatingIfNeeded: name), body)
                offset += 8 + length + length % 2
            }
            return try extended.file(with: blocks)
        }
    }
}

/// The chunks of a file in the extended format.
private struct WebPContainer {
    private let header: ImageHeader
    private var flags: UInt8
    private var profile: ByteReader?
    private var images: [(name: UInt32, body: ByteReader)] = []

    private static let imageChunks = [
        code("ALPH"), code("ANIM"), code("ANMF"), code("VP8 "), code("VP8L"),
    ]

    private enum Flag {
        static let profile: UInt8 = 0x20
        static let alpha: UInt8 = 0x10
        static let exif: UInt8 = 0x08
        static let xmp: UInt8 = 0x04
    }

    init(_ header: ImageHeader) {
        self.header = header
        flags = header.hasAlpha ? Flag.alpha : 0
    }

    mutating func take(_ name: UInt32, _ body: ByteReader) {
        switch name {
        case Self.code("VP8X"):
            // Animation and alpha; the others follow from the chunks.
            flags = UInt8(truncatingIfNeeded: body.uint8(at: 0) ?? 0) & 0x12
        case Self.code("ICCP"): profile = profile ?? body
        case _ where Self.imageChunks.contains(name): images.append((name, body))
        // EXIF, XMP, also under other names that programs write, and what is not known.
        default: break
        }
    }

    func file(with blocks: ImageMetadataBlocks) throws(ImageCodecError) -> Data {
        var chunks = Data()
        var flags = flags
        if let profile {
            flags |= Flag.profile
            Self.append("ICCP", Data(profile.bytes), to: &chunks)
        }
        for image in images { Self.append(image.name, Data(image.body.bytes), to: &chunks) }
        if let tiff = blocks.exif ?? orientation {
            flags |= Flag.exif
            Self.append("EXIF", tiff, to: &chunks)
        }
        if let xmp = blocks.xmp {
            flags |= Flag.xmp
            Self.append("XMP ", xmp, to: &chunks)
        }
        var head = Data("WEBP".utf8)
        if flags & ~Flag.alpha != 0 || images.count > 1 {
            let sides = [header.size.width - 1, header.size.height - 1]
            let canvas = sides.flatMap { side in (0..<3).map { UInt8(truncatingIfNeeded: side >> ($0 * 8)) } }
            Self.append("VP8X", Data([flags, 0, 0, 0] + canvas), to: &head)
        }
        guard let count = UInt32(exactly: head.count + chunks.count) else {
            throw .tooLarge(width: header.size.width, height: header.size.height)
        }
        return Data("RIFF".utf8) + Self.bytes(count) + head + chunks
    }

    /// A minimal EXIF block, if the file's own had another orientation than upright.
    private var orientation: Data? {
        guard header.orientation != .up,
            let value = (1...8).first(where: { Image.Orientation(exif: $0) == header.orientation })
        else { return nil }
        return Data("MM\0".utf8)
            + [42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(value), 0, 0, 0, 0, 0, 0]
    }

    private static func append(_ name: StaticString, _ body: Data, to data: inout Data) {
        append(code(name), body, to: &data)
    }

    private static func append(_ name: UInt32, _ body: Data, to data: inout Data) {
        data += bytes(name) + bytes(UInt32(clamping: body.count)) + body
        if body.count % 2 == 1 { data.append(0) }
    }

    private static func code(_ name: StaticString) -> UInt32 {
        (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(name.utf8Start[$1]) }
    }

    private static func bytes(_ value: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }
}
