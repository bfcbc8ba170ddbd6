struct APNGFrame: Sendable {
    let control: APNGFrameControl
    let firstDataChunkOffset: Int
    let dataType: PNGChunkType
}

/// An fcTL chunk: a frame's rectangle, its delay in seconds, and how it is drawn and disposed of.
struct APNGFrameControl: Sendable {
    enum Disposal: Int, Sendable {
        case keep, background, previous
    }

    enum Blend: Int, Sendable {
        case source, over
    }

    let size: PixelSize
    let left: Int
    let top: Int
    let disposal: Disposal
    let blend: Blend
    let delay: Double

    static let length = 26

    /// Reads `chunk`, which is an fcTL chunk of `length` bytes; the frame must be inside `canvas`.
    init(_ chunk: PNGChunk, in reader: ByteReader, on canvas: PixelSize) throws(ImageCodecError) {
        let start = chunk.data
        guard let width = reader.uint32(at: start + 4, bigEndian: true),
            let height = reader.uint32(at: start + 8, bigEndian: true),
            let left = reader.uint32(at: start + 12, bigEndian: true),
            let top = reader.uint32(at: start + 16, bigEndian: true),
            let numerator = reader.uint16(at: start + 20, bigEndian: true),
            let denominator = reader.uint16(at: start + 22, bigEndian: true),
            let disposal = reader.uint8(at: start + 24), let blend = reader.uint8(at: start + 25)
        else { throw .truncated }
        guard width > 0, height > 0, left + width <= canvas.width, top + height <= canvas.height else {
            throw .corrupt("a frame that is not on the canvas")
        }
        guard let disposal = Disposal(rawValue: disposal), let blend = Blend(rawValue: blend) else {
            throw .corrupt("an unknown disposal or blend operation")
        }
        size = PixelSize(width: width, height: height)
        self.left = left
        self.top = top
        self.disposal = disposal
        self.blend = blend
        // A denominator of 0 means 100.
        delay = FrameDelay.shown(Double(numerator) / Double(denominator == 0 ? 100 : denominator))
    }

    func covers(_ canvas: PixelSize) -> Bool { size == canvas }
}
