/// What a PNG says before its pixels: IHDR, and whether tRNS stands before the first IDAT (ISO/IEC 15948).
struct PNGFileHeader {
    enum ColorType: Int {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6
    }

    let size: PixelSize
    let bitDepth: Int
    let colorType: ColorType
    let hasTransparencyChunk: Bool

    init(scanning reader: ByteReader) throws(ImageCodecError) {
        guard reader.bytes.starts(with: PNGCodec.signature) else { throw .corrupt("no PNG signature") }
        guard let length = reader.uint32(at: 8, bigEndian: true), reader.count >= 33 else { throw .truncated }
        guard length == 13, reader.has("IHDR", at: 12) else { throw .corrupt("no IHDR chunk") }
        guard let width = reader.uint32(at: 16, bigEndian: true),
            let height = reader.uint32(at: 20, bigEndian: true),
            let bitDepth = reader.uint8(at: 24), let type = reader.uint8(at: 25)
        else { throw .truncated }
        guard let colorType = ColorType(rawValue: type), Self.depths(of: colorType).contains(bitDepth) else {
            throw .corrupt("colour type \(type) with \(bitDepth) bits")
        }
        size = PixelSize(width: width, height: height)
        self.bitDepth = bitDepth
        self.colorType = colorType
        hasTransparencyChunk = try Self.findTransparency(in: reader)
    }

    var hasAlpha: Bool {
        hasTransparencyChunk || colorType == .grayAlpha || colorType == .rgba
    }

    /// The format that keeps everything the file has.
    var pixelFormat: PixelFormat {
        let depth: PixelFormat.Depth = bitDepth == 16 ? .sixteen : .eight
        let layout: PixelFormat.Layout =
            switch colorType {
            case .gray: hasAlpha ? .grayAlpha : .gray
            case .grayAlpha: .grayAlpha
            case .rgb, .palette, .rgba: .rgba
            }
        return PixelFormat(layout: layout, depth: depth, alpha: hasAlpha ? .straight : .opaque)
    }

    private static func depths(of type: ColorType) -> [Int] {
        switch type {
        case .gray: [1, 2, 4, 8, 16]
        case .palette: [1, 2, 4, 8]
        case .rgb, .grayAlpha, .rgba: [8, 16]
        }
    }

    /// Throws `truncated` unless every chunk is there as far as IEND, which libspng does not read whole.
    static func checkEnd(of reader: ByteReader) throws(ImageCodecError) {
        _ = try chunk(in: reader, matching: { reader.has("IEND", at: $0) })
    }

    private static func findTransparency(in reader: ByteReader) throws(ImageCodecError) -> Bool {
        let type = try chunk(in: reader, whole: false) {
            reader.has("tRNS", at: $0) || reader.has("IDAT", at: $0)
        }
        return reader.has("tRNS", at: type)
    }

    /// Goes from chunk to chunk by their lengths; the offset of the first type field that `matches`.
    private static func chunk(
        in reader: ByteReader, whole: Bool = true, matching matches: (Int) -> Bool
    ) throws(ImageCodecError) -> Int {
        var offset = 33
        while let length = reader.uint32(at: offset, bigEndian: true), offset + 8 <= reader.count {
            guard length <= Int(Int32.max) else { throw .corrupt("a chunk longer than PNG allows") }
            if matches(offset + 4) {
                if whole, offset + length + 12 > reader.count { throw .truncated }
                return offset + 4
            }
            offset += length + 12
        }
        throw .truncated
    }
}
