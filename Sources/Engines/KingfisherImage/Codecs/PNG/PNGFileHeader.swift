/// IHDR, and whether tRNS precedes the first IDAT (ISO/IEC 15948).
struct PNGFileHeader {
    enum ColorType: Int {
        case gray = 0
        case rgb = 2
        case palette = 3
        case grayAlpha = 4
        case rgba = 6

        var hasAlpha: Bool { self == .grayAlpha || self == .rgba }

        var channels: Int {
            switch self {
            case .gray, .palette: 1
            case .grayAlpha: 2
            case .rgb: 3
            case .rgba: 4
            }
        }
    }

    /// For a frame of an animation, the size of the frame.
    var size: PixelSize
    let bitDepth: Int
    let colorType: ColorType
    let isInterlaced: Bool
    let hasTransparencyChunk: Bool

    static let end = 33

    init(scanning reader: ByteReader) throws(ImageCodecError) {
        guard reader.bytes.starts(with: PNGCodec.signature) else { throw .corrupt("no PNG signature") }
        guard let length = reader.uint32(at: 8, bigEndian: true), reader.count >= Self.end else {
            throw .truncated
        }
        // Its pixels have no zlib header, and are premultiplied BGRA.
        if reader.has("CgBI", at: 12) { throw .unsupported("a PNG of Apple's variant CgBI") }
        guard length == 13, reader.has("IHDR", at: 12) else { throw .corrupt("no IHDR chunk") }
        guard let width = reader.uint32(at: 16, bigEndian: true),
            let height = reader.uint32(at: 20, bigEndian: true),
            let bitDepth = reader.uint8(at: 24), let type = reader.uint8(at: 25),
            let compression = reader.uint8(at: 26), let filter = reader.uint8(at: 27),
            let interlace = reader.uint8(at: 28)
        else { throw .truncated }
        guard let colorType = ColorType(rawValue: type), Self.depths(of: colorType).contains(bitDepth) else {
            throw .corrupt("colour type \(type) with \(bitDepth) bits")
        }
        guard compression == 0, filter == 0, interlace <= 1 else {
            throw .corrupt("an unknown method of compression, filtering or interlacing")
        }
        guard max(width, height) <= Int(Int32.max) else { throw .corrupt("a side longer than PNG allows") }
        size = PixelSize(width: width, height: height)
        self.bitDepth = bitDepth
        self.colorType = colorType
        isInterlaced = interlace == 1
        hasTransparencyChunk = try Self.findTransparency(in: reader)
    }

    var hasAlpha: Bool {
        hasTransparencyChunk || colorType.hasAlpha
    }

    var bitsPerComponent: Int { colorType == .palette ? 8 : bitDepth }

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

    /// Throws `truncated` unless all chunks up to IEND are complete, which libspng does not check, and
    /// `tooMuchMetadata` if the ancillary chunks exceed the limit.
    static func checkEnd(of reader: ByteReader) throws(ImageCodecError) {
        var metadataBytes = 0
        let end = try firstChunk(in: reader) {
            if !$0.type.isCritical, $0.type != .fdAT { metadataBytes += $0.length }
            return $0.type == .IEND
        }
        if end.end > reader.count { throw .truncated }
        try reader.limits.check(metadataBytes: metadataBytes)
    }

    private static func findTransparency(in reader: ByteReader) throws(ImageCodecError) -> Bool {
        let first = try firstChunk(in: reader) { [.tRNS, .IDAT, .IEND].contains($0.type) }
        guard first.type != .IEND else { throw .corrupt("no pixels before IEND") }
        return first.type == .tRNS
    }

    private static func firstChunk(
        in reader: ByteReader, where matches: (PNGChunk) -> Bool
    ) throws(ImageCodecError) -> PNGChunk {
        var chunks = PNGChunks(reader, from: Self.end)
        while true {
            let chunk = try chunks.next()
            if matches(chunk) { return chunk }
        }
    }
}
