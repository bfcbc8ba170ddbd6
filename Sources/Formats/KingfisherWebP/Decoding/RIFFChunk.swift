import KingfisherCodecSupport

/// The position of a chunk in its file: name, length, data (RFC 9649, section 2.3).
struct RIFFChunk: Hashable, Sendable {
    /// The four letters of a chunk name as a little-endian number.
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
        static let EXIF = Name("EXIF")
        static let XMP = Name("XMP ")
    }

    let name: Name
    let data: Int
    let length: Int

    /// The end of the data, without the padding byte.
    var end: Int { data + length }

    fileprivate init?(at offset: Int, in file: ByteReader) {
        guard let name = file.uint32(at: offset, bigEndian: false),
            let length = file.uint32(at: offset + 4, bigEndian: false)
        else { return nil }
        self.name = Name(code: name)
        self.data = offset + 8
        self.length = length
    }
}

/// Iterates over the chunks of a WebP file, including those inside frames, and counts them.
///
/// It stores no bytes, so it can continue when a file has grown. A chunk is returned as soon as its header is
/// complete.
struct RIFFWalk: Sendable {
    static let maximumOtherChunks = 10_000

    /// The bytes of an ANMF chunk before its nested chunks.
    private static let frameHead = 16

    private var offset = 12
    private var frames = 0
    private var otherChunks = 0
    private var otherBytes = 0

    /// The next chunk of `file`; nil at its end.
    ///
    /// Throws at the first chunk above a limit of the file: `tooManyFrames` for `maximumFrames`,
    /// `tooMuchMetadata` if the other chunks exceed `maximumOtherChunks` or `maximumMetadataBytes`.
    mutating func next(in file: ByteReader) throws(ImageCodecError) -> RIFFChunk? {
        guard let chunk = RIFFChunk(at: offset, in: file) else { return nil }
        switch chunk.name {
        case .VP8, .VP8L, .ALPH:
            offset = chunk.end + chunk.length % 2
        case .ANMF:
            offset = chunk.data + Self.frameHead
            frames += 1
            try file.limits.check(frames: frames)
        default:
            offset = chunk.end + chunk.length % 2
            otherChunks += 1
            // A length beyond the end of the file is corrupt, not large.
            let riffEnd = 8 + (file.uint32(at: 4, bigEndian: false) ?? 0)
            otherBytes += min(chunk.length, max(riffEnd - chunk.data, 0))
            guard otherChunks <= Self.maximumOtherChunks else { throw .tooMuchMetadata }
            try file.limits.check(metadataBytes: otherBytes)
        }
        return chunk
    }

    static func check(_ file: ByteReader) throws(ImageCodecError) {
        var walk = RIFFWalk()
        while try walk.next(in: file) != nil {}
    }
}
