/// Iterates over the blocks of a GIF that affect its display; skips the others.
struct GIFBlocks {
    enum Block {
        case control(GIFControl)
        /// The number in the loop extension; 0 means forever.
        case repetitions(Int)
        case image(GIFPlacement)
    }

    private let reader: ByteReader
    private var offset: Int
    /// The offset of the last block, which may be incomplete.
    private(set) var blockStart = 0
    var end: Int { offset }
    private var metadataBytes = 0
    /// With `recordsTexts`, the bodies of comments and application extensions so far, in order, with all
    /// sub-blocks.
    private(set) var texts: [Range<Int>] = []
    private let recordsTexts: Bool

    /// A limit for `texts`; real files have one or two.
    private static let maximumTexts = 10_000

    init(_ reader: ByteReader, offset: Int, recordsTexts: Bool = false) {
        self.recordsTexts = recordsTexts
        self.reader = reader
        self.offset = offset
    }

    mutating func next() throws(ImageCodecError) -> Block? {
        while true {
            blockStart = offset
            switch reader.uint8(at: offset) {
            case nil: throw .truncated
            case 0x3B: return nil
            case 0x2C: return try image()
            case 0x21: if let block = try extensionBlock() { return block }
            // Some writers leave extra terminators.
            case 0x00: offset += 1
            case let code?: throw .corrupt("a block of type \(code)")
            }
        }
    }

    private mutating func image() throws(ImageCodecError) -> Block {
        guard let placement = placement(at: offset) else { throw .truncated }
        offset = placement.codeSizeOffset + 1
        try skipSubBlocks()
        return .image(placement)
    }

    /// The last block, if it is an image whose data may be incomplete.
    var lastPlacement: GIFPlacement? {
        reader.uint8(at: blockStart) == 0x2C ? placement(at: blockStart) : nil
    }

    private func placement(at start: Int) -> GIFPlacement? {
        guard let left = reader.uint16(at: start + 1, bigEndian: false),
            let top = reader.uint16(at: start + 3, bigEndian: false),
            let width = reader.uint16(at: start + 5, bigEndian: false),
            let height = reader.uint16(at: start + 7, bigEndian: false),
            let packed = reader.uint8(at: start + 9)
        else { return nil }
        let palette = GIFPalette(packed: packed, offset: start + 10)
        // The descriptor and the table are followed by the code size, then the sub-blocks.
        let codeSizeOffset = start + 10 + (palette?.byteCount ?? 0)
        return GIFPlacement(
            left: left, top: top, size: PixelSize(width: width, height: height),
            isInterlaced: packed & 0x40 != 0, localPalette: palette, codeSizeOffset: codeSizeOffset)
    }

    private mutating func extensionBlock() throws(ImageCodecError) -> Block? {
        guard let label = reader.uint8(at: offset + 1) else { throw .truncated }
        let body = offset + 2
        offset = body
        try skipSubBlocks()
        if label == 0xF9 { return control(at: body) }
        metadataBytes += offset - body
        try reader.limits.check(metadataBytes: metadataBytes)
        if recordsTexts, label == 0xFE || label == 0xFF {
            guard texts.count < Self.maximumTexts else { throw .tooMuchMetadata }
            texts.append(body..<offset)
        }
        switch label {
        case 0xFF: return repetitions(at: body)
        default: return nil
        }
    }

    private func control(at body: Int) -> Block? {
        guard let length = reader.uint8(at: body), length >= 4, let packed = reader.uint8(at: body + 1),
            let delay = reader.uint16(at: body + 2, bigEndian: false),
            let transparent = reader.uint8(at: body + 4)
        else { return nil }
        return .control(GIFControl(packed: packed, hundredths: delay, transparentIndex: transparent))
    }

    private func repetitions(at body: Int) -> Block? {
        guard reader.uint8(at: body) == 11,
            reader.has("NETSCAPE2.0", at: body + 1) || reader.has("ANIMEXTS1.0", at: body + 1),
            let length = reader.uint8(at: body + 12), length >= 3,
            let kind = reader.uint8(at: body + 13), kind & 7 == 1,
            let count = reader.uint16(at: body + 14, bigEndian: false)
        else { return nil }
        return .repetitions(count)
    }

    private mutating func skipSubBlocks() throws(ImageCodecError) {
        while let length = reader.uint8(at: offset) {
            offset += 1 + length
            if length == 0 { return }
        }
        throw .truncated
    }
}
