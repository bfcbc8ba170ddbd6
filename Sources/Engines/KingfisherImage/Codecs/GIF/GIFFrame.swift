struct GIFFrame: Sendable {
    let placement: GIFPlacement
    /// Nil for a file without a table: the colours are black and white.
    let palette: GIFPalette?
    let control: GIFControl

    func fills(_ canvas: PixelSize) -> Bool {
        control.transparentIndex == nil && placement.covers(canvas)
    }
}

struct GIFPlacement: Sendable {
    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool
    let localPalette: GIFPalette?
    let codeSizeOffset: Int

    /// The screen of a file that declares `declared` and has this first frame: a smaller one, also one
    /// without pixels, is enlarged to hold the frame (decision 081).
    func screen(declared: PixelSize) -> PixelSize {
        PixelSize(
            width: max(declared.width, left + size.width), height: max(declared.height, top + size.height))
    }

    func covers(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && size.width >= canvas.width && size.height >= canvas.height
    }
}

struct GIFPalette: Sendable {
    let offset: Int
    let count: Int

    var byteCount: Int { count * 3 }

    static let globalOffset = 13

    init?(packed: Int, offset: Int) {
        guard packed & 0x80 != 0 else { return nil }
        self.offset = offset
        count = 2 << (packed & 7)
    }
}

struct GIFControl: Sendable {
    enum Disposal: Sendable {
        case keep, background, previous
    }

    var disposal = Disposal.keep
    var transparentIndex: Int?
    /// In seconds.
    var delay = FrameDelay.standard

    init() {}

    init(packed: Int, hundredths: Int, transparentIndex: Int) {
        disposal =
            switch packed >> 2 & 7 {
            case 2: .background
            case 3: .previous
            default: .keep
            }
        self.transparentIndex = packed & 1 != 0 ? transparentIndex : nil
        delay = FrameDelay.shown(Double(hundredths) / 100)
    }
}
