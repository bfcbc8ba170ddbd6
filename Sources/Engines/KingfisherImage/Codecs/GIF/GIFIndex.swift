/// The structure of a GIF without its pixels: positions and controls of its frames (GIF89a specification).
struct GIFIndex: Sendable {
    private(set) var canvas = PixelSize(width: 0, height: 0)
    private(set) var frames: [GIFFrame] = []
    /// How often the animation plays; 0 means forever. Without a loop extension it plays once. The extension
    /// counts repetitions, so the animation plays one time more, as in browsers.
    private(set) var loopCount = 1
    private(set) var isOpaque = false

    init(scanning reader: ByteReader) throws(ImageCodecError) {
        guard reader.has("GIF", at: 0) else { throw .corrupt("no GIF signature") }
        guard let width = reader.uint16(at: 6, bigEndian: false),
            let height = reader.uint16(at: 8, bigEndian: false), let packed = reader.uint8(at: 10)
        else { throw .truncated }
        canvas = PixelSize(width: width, height: height)
        if !canvas.isEmpty { try reader.limits.check(canvas) }
        let globalPalette = GIFPalette(packed: packed, offset: GIFPalette.globalOffset)
        var blocks = GIFBlocks(reader, offset: GIFPalette.globalOffset + (globalPalette?.byteCount ?? 0))
        var control = GIFControl()
        while let block = try blocks.next() {
            switch block {
            case .control(let value): control = value
            case .repetitions(let count): loopCount = count == 0 ? 0 : count + 1
            case .image(let placement):
                try reader.limits.check(frames: frames.count + 1)
                if frames.isEmpty {
                    canvas = placement.screen(declared: canvas)
                    try reader.limits.check(canvas)
                }
                guard placement.size.area <= reader.limits.maximumPixels else {
                    throw .tooLarge(width: placement.size.width, height: placement.size.height)
                }
                // Pixels outside the canvas cost time but are never shown; malicious files use that.
                guard placement.size.area <= max(4 * canvas.area, 1 << 16) else {
                    throw .corrupt("a frame far larger than its canvas")
                }
                let palette = placement.localPalette ?? globalPalette
                frames.append(GIFFrame(placement: placement, palette: palette, control: control))
                control = GIFControl()
            }
        }
        guard let first = frames.first else { throw .corrupt("no frame") }
        if frames.count > 1 { try reader.limits.check(canvas: canvas, format: .rgba8Straight) }
        isOpaque =
            first.fills(canvas) && frames.dropLast().allSatisfy { $0.control.disposal != .background }
            && first.control.disposal != .previous
    }

    var timing: AnimationTiming {
        AnimationTiming(durations: frames.map(\.control.delay), loopCount: loopCount)
    }
}
