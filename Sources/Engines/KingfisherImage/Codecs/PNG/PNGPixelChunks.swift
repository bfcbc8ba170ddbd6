/// The chunks that the pixels depend on, after checks of all checksums and of the order. Expendable chunks
/// with a wrong checksum are skipped.
struct PNGPixelChunks {
    private(set) var data = 0..<0
    private(set) var palette: PNGChunk?
    private(set) var transparency: PNGChunk?
    /// False if libspng's own rules apply: limits on metadata, and duplicated or misplaced palettes and
    /// transparency.
    private(set) var isPlain = true

    private var isPaletteOver = false
    private var ancillaryChunks = 0
    private var metadataBytes = 0
    private var expandedBytes = 0

    // Both limits are half of libspng's, which rejects 1,000 chunks.
    private static let plainChunks = 500
    private let plainBytes: Int
    /// The maximum that libspng may count for a chunk in addition to its data.
    private static let overhead = 256

    /// Throws `truncated` for a file without a complete IEND chunk, `corrupt` for a wrong checksum, an
    /// unknown critical chunk and chunks out of order, and `tooMuchMetadata` above the limit.
    ///
    /// With `acceptsPart` a file may end anywhere after its header, also inside an IDAT chunk.
    init(scanning reader: ByteReader, acceptsPart: Bool = false) throws(ImageCodecError) {
        plainBytes = reader.limits.maximumMetadataBytes / 2
        try scan(reader, acceptsPart: acceptsPart)
        try reader.limits.check(metadataBytes: metadataBytes)
    }

    private mutating func scan(_ reader: ByteReader, acceptsPart: Bool) throws(ImageCodecError) {
        var chunks = PNGChunks(reader)
        try PNGChecksum.check(chunks.next(), in: reader)
        do {
            while true {
                let chunk = try chunks.next()
                if acceptsPart, chunk.end > reader.count {
                    if chunk.type == .IDAT { try add(chunk, in: reader) }
                    if !chunk.type.isCritical { count(chunk, from: reader.count) }
                    data = data.clamped(to: 0..<reader.count)
                    return
                }
                if try PNGChecksum.counts(chunk, in: reader) {
                    try add(chunk, in: reader)
                } else {
                    count(chunk, from: reader.count)
                }
                if chunk.type == .IEND { return }
            }
        } catch .truncated where acceptsPart {
            // The file ends between two chunks, or in a chunk's length or type.
        }
    }

    private mutating func add(_ chunk: PNGChunk, in reader: ByteReader) throws(ImageCodecError) {
        switch chunk.type {
        case .IDAT:
            guard data.isEmpty || data.upperBound == chunk.offset else {
                throw .corrupt("IDAT chunks that are not consecutive")
            }
            data = (data.isEmpty ? chunk.offset : data.lowerBound)..<chunk.end
        case .IEND:
            guard !data.isEmpty else { throw .corrupt("no IDAT chunk") }
            guard chunk.length == 0 else { throw .corrupt("an IEND chunk with data") }
        case .PLTE:
            let isRegular = chunk.length % 3 == 0 && 3...768 ~= chunk.length
            isPlain = isPlain && isRegular && palette == nil && !isPaletteOver && data.isEmpty
            palette = chunk
        case _ where chunk.type.isCritical:
            throw .corrupt("an unknown critical chunk, or IHDR twice")
        default:
            addAncillary(chunk, in: reader)
        }
    }

    private mutating func addAncillary(_ chunk: PNGChunk, in reader: ByteReader) {
        if [.tRNS, .bKGD, .hIST].contains(chunk.type) { isPaletteOver = true }
        if chunk.type == .tRNS, data.isEmpty {
            isPlain = isPlain && transparency == nil
            transparency = chunk
        }
        ancillaryChunks += 1
        count(chunk, from: reader.count)
        // So at most one profile above the limit is decompressed, however many there are.
        guard isPlain else { return }
        expandedBytes += chunk.largestExpansion(in: reader, above: plainBytes) + Self.overhead
        isPlain = isPlain && ancillaryChunks <= Self.plainChunks && expandedBytes <= plainBytes
    }

    private mutating func count(_ chunk: PNGChunk, from end: Int) {
        if chunk.type != .fdAT { metadataBytes += min(chunk.length, end - chunk.data) }
    }
}

extension PNGChunk {
    /// The maximum size of the chunk's data when decompressed: deflate expands at most 1,032 times.
    ///
    /// A profile that could exceed `limit` is decompressed to measure it, because profiles with tables have a
    /// megabyte. A corrupt one, or one above the metadata limit, counts as exceeding `limit`.
    fileprivate func largestExpansion(in reader: ByteReader, above limit: Int) -> Int {
        switch type {
        case .iCCP where length > limit / 1_032:
            PNGProfile.data(in: self, of: reader)?.count ?? limit + 1
        case .iCCP, .zTXt: length * 1_032
        case .iTXt: isCompressedText(in: reader) ? length * 1_032 : length
        default: length
        }
    }

    private func isCompressedText(in reader: ByteReader) -> Bool {
        let end = (data..<data + min(length, 80)).first { reader.uint8(at: $0) == 0 }
        return end.flatMap { reader.uint8(at: $0 + 1) } != 0
    }
}
