/// One image of the animation.
struct APNGFrame: Sendable {
    let control: APNGFrameControl
    /// Where the first of its data chunks begins: IDAT of the default image, otherwise fdAT.
    let dataOffset: Int
    /// The type of its data chunks.
    let dataType: PNGChunkType
}

/// An fcTL chunk: where a frame is drawn, for how long, and what becomes of it.
struct APNGFrameControl: Sendable {
    /// What happens to the frame's rectangle before the next frame is drawn.
    enum Disposal: Int, Sendable {
        case keep, background, previous
    }

    /// How the frame's pixels meet those of the canvas.
    enum Blend: Int, Sendable {
        case source, over
    }

    let size: PixelSize
    let left: Int
    let top: Int
    let disposal: Disposal
    let blend: Blend
    /// How long the frame is shown, in seconds.
    let delay: Double

    /// Bytes of the chunk's data.
    static let length = 26

    /// Reads the data of `chunk`, which is an fcTL chunk of `length` bytes; the frame must lie on `canvas`.
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
            throw .corrupt("an unknown way to draw a frame")
        }
        size = PixelSize(width: width, height: height)
        self.left = left
        self.top = top
        self.disposal = disposal
        self.blend = blend
        // A denominator of 0 stands for hundredths.
        delay = FrameDelay.shown(Double(numerator) / Double(denominator == 0 ? 100 : denominator))
    }

    /// Whether the frame's rectangle is the whole canvas.
    func covers(_ canvas: PixelSize) -> Bool { size == canvas }
}
