/// The four letters of a chunk, as a big-endian number.
struct PNGChunkType: Hashable {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    private init(_ name: StaticString) {
        code = (0..<4).reduce(0) { $0 << 8 | UInt32(name.utf8Start[$1]) }
    }

    /// Whether a file cannot be shown without knowing the chunk: a capital first letter.
    var isCritical: Bool { code & 0x2000_0000 == 0 }

    static let IHDR = PNGChunkType("IHDR")
    static let PLTE = PNGChunkType("PLTE")
    static let tRNS = PNGChunkType("tRNS")
    static let sRGB = PNGChunkType("sRGB")
    static let IDAT = PNGChunkType("IDAT")
    static let IEND = PNGChunkType("IEND")
    static let bKGD = PNGChunkType("bKGD")
    static let hIST = PNGChunkType("hIST")
    static let iCCP = PNGChunkType("iCCP")
    static let eXIf = PNGChunkType("eXIf")
    static let tEXt = PNGChunkType("tEXt")
    static let zTXt = PNGChunkType("zTXt")
    static let iTXt = PNGChunkType("iTXt")
    static let acTL = PNGChunkType("acTL")
    static let fcTL = PNGChunkType("fcTL")
    static let fdAT = PNGChunkType("fdAT")
}

/// Where a chunk lies in its file: length, type, data, checksum.
struct PNGChunk {
    let type: PNGChunkType
    /// Where the length field stands.
    let offset: Int
    /// Bytes of data, as the length field says.
    let length: Int

    /// Where the data begin.
    var data: Int { offset + 8 }
    /// Where the next chunk begins.
    var end: Int { offset + length + 12 }
}

/// The chunks of a PNG from one to the next, by their lengths; their data may be missing.
struct PNGChunks {
    private let reader: ByteReader
    private var offset: Int

    /// Starts at the chunk at `offset`; the first one stands behind the signature.
    init(_ reader: ByteReader, from offset: Int = PNGCodec.signature.count) {
        self.reader = reader
        self.offset = offset
    }

    /// The next chunk; throws `truncated` where the bytes end before its data begin.
    mutating func next() throws(ImageCodecError) -> PNGChunk {
        guard let length = reader.uint32(at: offset, bigEndian: true),
            let code = reader.uint32(at: offset + 4, bigEndian: true)
        else { throw .truncated }
        guard length <= Int(Int32.max) else { throw .corrupt("a chunk longer than PNG allows") }
        let chunk = PNGChunk(type: PNGChunkType(code: UInt32(code)), offset: offset, length: length)
        offset = chunk.end
        return chunk
    }
}
