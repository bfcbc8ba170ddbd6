/// Reads the chunks of an animated PNG and checks the rules for their order (PNG, third edition, 5.6 and
/// 11.3.4). If it succeeds, only the pixels may still be corrupt.
struct APNGScan {
    private let reader: ByteReader
    private let canvas: PixelSize
    private var declaredFrames: Int?
    private(set) var loopCount = 0
    private(set) var frames: [APNGFrame] = []
    private(set) var colorChunks: [PNGChunk] = []
    private var sequence = 0
    private var metadataBytes = 0
    private var pendingControl: APNGFrameControl?
    private var image = DefaultImage.notSeen

    private enum DefaultImage {
        case notSeen, current, complete
    }

    init(_ reader: ByteReader, canvas: PixelSize) throws(ImageCodecError) {
        self.reader = reader
        self.canvas = canvas
        var chunks = PNGChunks(reader, from: PNGFileHeader.end)
        while true {
            let chunk = try chunks.next()
            guard chunk.end <= reader.count else { throw .truncated }
            if image == .current, chunk.type != .IDAT { image = .complete }
            if chunk.type == .IEND { break }
            try take(chunk)
        }
        guard let declaredFrames, pendingControl == nil, frames.count == declaredFrames else {
            throw .corrupt("a number of frames other than the file declares")
        }
    }

    private mutating func take(_ chunk: PNGChunk) throws(ImageCodecError) {
        switch chunk.type {
        case .acTL: try takeAnimation(chunk)
        case .PLTE, .tRNS: try takeColors(chunk)
        case .fcTL: try takeControl(chunk)
        case .IDAT: try takeDefaultImage(chunk)
        case .fdAT: try takeData(chunk)
        default:
            if chunk.type.isCritical { throw .corrupt("an unknown critical chunk") }
            if !chunk.type.isExpendable { try PNGChecksum.check(chunk, in: reader) }
            metadataBytes += chunk.length
            try reader.limits.check(metadataBytes: metadataBytes)
        }
    }

    private mutating func takeAnimation(_ chunk: PNGChunk) throws(ImageCodecError) {
        try PNGChecksum.check(chunk, in: reader)
        guard declaredFrames == nil, image == .notSeen, chunk.length == 8,
            let count = reader.uint32(at: chunk.data, bigEndian: true),
            let plays = reader.uint32(at: chunk.data + 4, bigEndian: true)
        else { throw .corrupt("acTL out of place") }
        try reader.limits.check(frames: count)
        declaredFrames = count
        loopCount = plays
    }

    private mutating func takeColors(_ chunk: PNGChunk) throws(ImageCodecError) {
        guard image == .notSeen else {
            // A late tRNS is ignored, as in PNG.
            if chunk.type == .PLTE { throw .corrupt("PLTE out of place") }
            return
        }
        try PNGChecksum.check(chunk, in: reader)
        guard chunk.length <= 3 * 256, !colorChunks.contains(where: { $0.type == chunk.type }) else {
            throw .corrupt("too many colours")
        }
        colorChunks.append(chunk)
    }

    private mutating func takeControl(_ chunk: PNGChunk) throws(ImageCodecError) {
        try PNGChecksum.check(chunk, in: reader)
        guard chunk.length == APNGFrameControl.length, pendingControl == nil else {
            throw .corrupt("fcTL out of place")
        }
        // The first fcTL may precede acTL.
        guard frames.count < declaredFrames ?? 1 else {
            throw .corrupt("more frames than the file declares")
        }
        try checkSequence(of: chunk)
        pendingControl = try APNGFrameControl(chunk, in: reader, on: canvas)
    }

    private mutating func takeDefaultImage(_ chunk: PNGChunk) throws(ImageCodecError) {
        guard declaredFrames != nil, image != .complete else { throw .corrupt("IDAT out of place") }
        if image == .notSeen, let pendingControl {
            guard pendingControl.covers(canvas) else { throw .corrupt("a default image with another size") }
            addFrame(pendingControl, at: chunk)
        }
        image = .current
    }

    private mutating func takeData(_ chunk: PNGChunk) throws(ImageCodecError) {
        guard image == .complete, chunk.length >= 4 else { throw .corrupt("fdAT out of place") }
        try checkSequence(of: chunk)
        if let pendingControl {
            addFrame(pendingControl, at: chunk)
        } else if frames.last?.dataType != .fdAT {
            throw .corrupt("fdAT without fcTL")
        }
    }

    private mutating func addFrame(_ control: APNGFrameControl, at chunk: PNGChunk) {
        frames.append(APNGFrame(control: control, firstDataChunkOffset: chunk.offset, dataType: chunk.type))
        pendingControl = nil
    }

    /// fcTL and fdAT share one sequence without gaps.
    private mutating func checkSequence(of chunk: PNGChunk) throws(ImageCodecError) {
        guard reader.uint32(at: chunk.data, bigEndian: true) == sequence else {
            throw .corrupt("a chunk that is out of sequence")
        }
        sequence += 1
    }
}
