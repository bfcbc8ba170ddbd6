/// The chunks of an animated PNG as they pass by, held to the rules for their order (PNG, third edition, 5.6
/// and 11.3.4): what is left is an animation that is whole but for its pixels.
struct APNGScan {
    private let reader: ByteReader
    private let canvas: PixelSize
    private var promisedFrames: Int?
    private(set) var loopCount = 0
    private(set) var frames: [APNGFrame] = []
    /// PLTE and tRNS, in the order of the file.
    private(set) var colors: [PNGChunk] = []
    private var sequence = 0
    /// Bytes of the chunks that say nothing of pixels and frames.
    private var metadataBytes = 0
    /// The control of a frame whose data have not come yet.
    private var awaited: APNGFrameControl?
    private var image = DefaultImage.ahead

    private enum DefaultImage {
        case ahead, here, behind
    }

    /// Walks as far as IEND.
    init(_ reader: ByteReader, canvas: PixelSize) throws(ImageCodecError) {
        self.reader = reader
        self.canvas = canvas
        var chunks = PNGChunks(reader, from: PNGFileHeader.end)
        while true {
            let chunk = try chunks.next()
            guard chunk.end <= reader.count else { throw .truncated }
            if image == .here, chunk.type != .IDAT { image = .behind }
            if chunk.type == .IEND { break }
            try take(chunk)
        }
        guard let promisedFrames, awaited == nil, frames.count == promisedFrames else {
            throw .corrupt("another number of frames than the file promises")
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
            metadataBytes += chunk.length
            try ImageLimits.check(metadataBytes: metadataBytes)
        }
    }

    private mutating func takeAnimation(_ chunk: PNGChunk) throws(ImageCodecError) {
        try PNGChecksum.check(chunk, in: reader)
        guard promisedFrames == nil, image == .ahead, chunk.length == 8,
            let count = reader.uint32(at: chunk.data, bigEndian: true),
            let plays = reader.uint32(at: chunk.data + 4, bigEndian: true)
        else { throw .corrupt("acTL out of place") }
        try ImageLimits.check(frames: count)
        promisedFrames = count
        loopCount = plays
    }

    private mutating func takeColors(_ chunk: PNGChunk) throws(ImageCodecError) {
        guard image == .ahead else {
            // A tRNS that comes late has no effect, as with PNG.
            if chunk.type == .PLTE { throw .corrupt("PLTE out of place") }
            return
        }
        try PNGChecksum.check(chunk, in: reader)
        guard chunk.length <= 3 * 256, !colors.contains(where: { $0.type == chunk.type }) else {
            throw .corrupt("too many colours")
        }
        colors.append(chunk)
    }

    private mutating func takeControl(_ chunk: PNGChunk) throws(ImageCodecError) {
        try PNGChecksum.check(chunk, in: reader)
        guard chunk.length == APNGFrameControl.length, awaited == nil else {
            throw .corrupt("fcTL out of place")
        }
        // The first one may stand before acTL.
        guard frames.count < promisedFrames ?? 1 else {
            throw .corrupt("more frames than the file promises")
        }
        try takeNumber(of: chunk)
        awaited = try APNGFrameControl(chunk, in: reader, on: canvas)
    }

    private mutating func takeDefaultImage(_ chunk: PNGChunk) throws(ImageCodecError) {
        guard promisedFrames != nil, image != .behind else { throw .corrupt("IDAT out of place") }
        if image == .ahead, let awaited {
            guard awaited.covers(canvas) else { throw .corrupt("a default image with another size") }
            begin(awaited, at: chunk)
        }
        image = .here
    }

    private mutating func takeData(_ chunk: PNGChunk) throws(ImageCodecError) {
        guard image == .behind, chunk.length >= 4 else { throw .corrupt("fdAT out of place") }
        try takeNumber(of: chunk)
        if let awaited {
            begin(awaited, at: chunk)
        } else if frames.last?.dataType != .fdAT {
            throw .corrupt("fdAT without fcTL")
        }
    }

    private mutating func begin(_ control: APNGFrameControl, at chunk: PNGChunk) {
        frames.append(APNGFrame(control: control, dataOffset: chunk.offset, dataType: chunk.type))
        awaited = nil
    }

    /// fcTL and fdAT share one sequence without gaps.
    private mutating func takeNumber(of chunk: PNGChunk) throws(ImageCodecError) {
        guard reader.uint32(at: chunk.data, bigEndian: true) == sequence else {
            throw .corrupt("a chunk that is out of sequence")
        }
        sequence += 1
    }
}
