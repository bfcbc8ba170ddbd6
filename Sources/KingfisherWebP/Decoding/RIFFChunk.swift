import KingfisherCodecSupport

/// Where a chunk lies in its file: name, length, data (RFC 9649, section 2.3).
struct RIFFChunk: Hashable, Sendable {
    /// The four letters of a chunk, as a little-endian number.
    struct Name: Hashable, Sendable {
        let code: UInt32

        fileprivate init(code: Int) {
            self.code = UInt32(truncatingIfNeeded: code)
        }

        private init(_ name: StaticString) {
            code = (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(name.utf8Start[$1]) }
        }

        static let VP8 = Name("VP8 ")
        static let VP8L = Name("VP8L")
        static let ALPH = Name("ALPH")
        static let ANMF = Name("ANMF")
        static let ICCP = Name("ICCP")
    }

    let name: Name
    /// Where the data begin.
    let data: Int
    /// Bytes of data, as the length field says.
    let length: Int

    /// Where the data end, without the byte that makes their number even.
    var end: Int { data + length }

    /// The chunk whose head stands at `offset`; nil where that is not all there.
    fileprivate init?(at offset: Int, in file: ByteReader) {
        guard let name = file.uint32(at: offset, bigEndian: false),
            let length = file.uint32(at: offset + 4, bigEndian: false)
        else { return nil }
        self.name = Name(code: name)
        self.data = offset + 8
        self.length = length
    }
}

/// The chunks of a WebP file from one to the next, those of a frame behind the frame, counted on the way.
///
/// It keeps no bytes, so that it can go on when a file has grown. Chunks that are not all there are handed
/// out as soon as their head is.
struct RIFFWalk: Sendable {
    /// Chunks beside the images.
    static let maximumOtherChunks = 10_000

    /// What the fields of a frame take, in front of its chunks.
    private static let frameHead = 16

    private var offset = 12
    private var frames = 0
    private var otherChunks = 0
    private var otherBytes = 0

    /// The next chunk of `file`; nil at its end.
    ///
    /// Throws at the first chunk that is too much: `tooManyFrames` above `ImageLimits.maximumFrames`,
    /// `tooMuchMetadata` for other chunks above `maximumOtherChunks`, or with more bytes together than
    /// `ImageLimits.maximumMetadataBytes`.
    mutating func next(in file: ByteReader) throws(ImageCodecError) -> RIFFChunk? {
        guard let chunk = RIFFChunk(at: offset, in: file) else { return nil }
        switch chunk.name {
        case .VP8, .VP8L, .ALPH:
            offset = chunk.end + chunk.length % 2
        case .ANMF:
            offset = chunk.data + Self.frameHead
            frames += 1
            try ImageLimits.check(frames: frames)
        default:
            offset = chunk.end + chunk.length % 2
            otherChunks += 1
            // One that claims more than the whole file is damaged, not large.
            let riffEnd = 8 + (file.uint32(at: 4, bigEndian: false) ?? 0)
            otherBytes += min(chunk.length, max(riffEnd - chunk.data, 0))
            guard otherChunks <= Self.maximumOtherChunks else { throw .tooMuchMetadata }
            try ImageLimits.check(metadataBytes: otherBytes)
        }
        return chunk
    }

    /// Walks through all of `file`.
    static func check(_ file: ByteReader) throws(ImageCodecError) {
        var walk = RIFFWalk()
        while try walk.next(in: file) != nil {}
    }
}
