/// The chunks of a whole file that its pixels are made of; every checksum and the order have been checked.
struct PNGPixelChunks {
    /// Where the IDAT chunks lie, one behind the other.
    private(set) var data = 0..<0
    private(set) var palette: PNGChunk?
    private(set) var transparency: PNGChunk?
    /// False where libspng's own rules decide about the file: on limits of metadata, and on palettes and
    /// transparency that come twice or in the wrong place.
    private(set) var isPlain = true

    private var isPaletteOver = false
    private var ancillaryChunks = 0
    /// As they stand in the file.
    private var metadataBytes = 0
    /// As they may stand in memory.
    private var expandedBytes = 0

    /// libspng refuses 1,000.
    private static let plainChunks = 500
    /// Half of what libspng refuses, and what it may count for a chunk beside the chunk's own bytes.
    private static var plainBytes: Int { ImageLimits.maximumMetadataBytes / 2 }
    private static let overhead = 256

    /// Throws `truncated` for a file that ends before its IEND chunk does, and `corrupt` for a wrong
    /// checksum, an unknown critical chunk and chunks that are out of order.
    ///
    /// With `acceptsPart` a file may end anywhere behind its header; of an IDAT chunk that is cut, what there
    /// is counts. Throws `tooMuchMetadata` for more of it than the limit.
    init(scanning reader: ByteReader, acceptsPart: Bool = false) throws(ImageCodecError) {
        try scan(reader, acceptsPart: acceptsPart)
        try ImageLimits.check(metadataBytes: metadataBytes)
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
                try PNGChecksum.check(chunk, in: reader)
                try add(chunk, in: reader)
                if chunk.type == .IEND { return }
            }
        } catch .truncated where acceptsPart {
            // It ends between two chunks, or in the length or the type of one.
        }
    }

    private mutating func add(_ chunk: PNGChunk, in reader: ByteReader) throws(ImageCodecError) {
        switch chunk.type {
        case .IDAT:
            guard data.isEmpty || data.upperBound == chunk.offset else {
                throw .corrupt("IDAT chunks with another between them")
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
        // So that however many profiles there are, no more than one is expanded above the limit.
        guard isPlain else { return }
        expandedBytes += chunk.largestExpansion(in: reader, above: Self.plainBytes) + Self.overhead
        isPlain = isPlain && ancillaryChunks <= Self.plainChunks && expandedBytes <= Self.plainBytes
    }

    /// Of a chunk that is cut, what there is.
    private mutating func count(_ chunk: PNGChunk, from end: Int) {
        if chunk.type != .fdAT { metadataBytes += min(chunk.length, end - chunk.data) }
    }
}

extension PNGChunk {
    /// The most bytes that the chunk's data can become: deflate makes up to 1,032 out of one.
    ///
    /// A profile that could so come above `limit` is expanded, as it will be for its colours: those with
    /// tables have a megabyte. One that is broken or above the limit of metadata counts as above this one.
    fileprivate func largestExpansion(in reader: ByteReader, above limit: Int) -> Int {
        switch type {
        case .iCCP where length > limit / 1_032:
            PNGFileHeader.profile(in: self, of: reader)?.count ?? limit + 1
        case .iCCP, .zTXt: length * 1_032
        case .iTXt: isCompressedText(in: reader) ? length * 1_032 : length
        default: length
        }
    }

    /// The byte behind the keyword of an iTXt chunk says so.
    private func isCompressedText(in reader: ByteReader) -> Bool {
        let end = (data..<data + min(length, 80)).first { reader.uint8(at: $0) == 0 }
        return end.flatMap { reader.uint8(at: $0 + 1) } != 0
    }
}
