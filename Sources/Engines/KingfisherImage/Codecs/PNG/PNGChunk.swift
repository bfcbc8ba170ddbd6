/// The four letters of a chunk type as a big-endian number.
struct PNGChunkType: Hashable {
    let code: UInt32

    init(code: UInt32) {
        self.code = code
    }

    private init(_ name: StaticString) {
        code = (0..<4).reduce(0) { $0 << 8 | UInt32(name.utf8Start[$1]) }
    }

    /// Whether decoders must know the chunk: its first letter is upper case.
    var isCritical: Bool { code & 0x2000_0000 == 0 }

    /// Whether the chunk counts as absent if its checksum is wrong: neither pixels nor frames depend on it
    /// (decision 012).
    var isExpendable: Bool { !isCritical && !Self.decisive.contains(self) }

    var isText: Bool { self == .tEXt || self == .zTXt || self == .iTXt }

    private static let decisive: Set<PNGChunkType> = [
        .tRNS, .gAMA, .cHRM, .iCCP, .sRGB, .cICP, .sBIT, .acTL, .fcTL, .fdAT,
    ]

    static let IHDR = PNGChunkType("IHDR")
    static let PLTE = PNGChunkType("PLTE")
    static let tRNS = PNGChunkType("tRNS")
    static let sRGB = PNGChunkType("sRGB")
    static let IDAT = PNGChunkType("IDAT")
    static let IEND = PNGChunkType("IEND")
    static let bKGD = PNGChunkType("bKGD")
    static let hIST = PNGChunkType("hIST")
    static let iCCP = PNGChunkType("iCCP")
    static let cICP = PNGChunkType("cICP")
    static let gAMA = PNGChunkType("gAMA")
    static let cHRM = PNGChunkType("cHRM")
    static let mDCV = PNGChunkType("mDCV")
    static let cLLI = PNGChunkType("cLLI")
    static let sBIT = PNGChunkType("sBIT")
    static let sPLT = PNGChunkType("sPLT")
    static let pHYs = PNGChunkType("pHYs")
    static let tIME = PNGChunkType("tIME")
    static let eXIf = PNGChunkType("eXIf")
    static let tEXt = PNGChunkType("tEXt")
    static let zTXt = PNGChunkType("zTXt")
    static let iTXt = PNGChunkType("iTXt")
    static let acTL = PNGChunkType("acTL")
    static let fcTL = PNGChunkType("fcTL")
    static let fdAT = PNGChunkType("fdAT")
}

/// The position of a chunk in its file: length, type, data, checksum.
struct PNGChunk {
    let type: PNGChunkType
    let offset: Int
    let length: Int

    var data: Int { offset + 8 }
    var end: Int { offset + length + 12 }
}

/// Iterates over the chunks of a PNG by their lengths; their data may be missing.
struct PNGChunks {
    private let reader: ByteReader
    private var offset: Int

    init(_ reader: ByteReader, from offset: Int = PNGCodec.signature.count) {
        self.reader = reader
        self.offset = offset
    }

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
