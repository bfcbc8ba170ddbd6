/// One image of the file.
struct GIFFrame: Sendable {
    let placement: GIFPlacement
    let palette: GIFPalette
    let control: GIFControl

    /// Whether the frame covers the whole canvas with opaque pixels.
    func fills(_ canvas: PixelSize) -> Bool {
        control.transparentIndex == nil && placement.covers(canvas)
    }
}

/// An image descriptor.
struct GIFPlacement: Sendable {
    let left: Int
    let top: Int
    let size: PixelSize
    let isInterlaced: Bool
    let localPalette: GIFPalette?
    /// Where the code size stands in the file; the sub-blocks follow.
    let dataOffset: Int

    /// Whether the frame has a pixel for each of the canvas.
    func covers(_ canvas: PixelSize) -> Bool {
        left == 0 && top == 0 && size.width >= canvas.width && size.height >= canvas.height
    }
}

/// A colour table: where it lies and how many entries of three bytes it has.
struct GIFPalette: Sendable {
    let offset: Int
    let count: Int

    var byteCount: Int { count * 3 }

    /// Where the table for all frames stands, behind the screen's descriptor.
    static let globalOffset = 13

    /// Nil when `packed` says that there is none.
    init?(packed: Int, offset: Int) {
        guard packed & 0x80 != 0 else { return nil }
        self.offset = offset
        count = 2 << (packed & 7)
    }
}

/// A graphic control extension.
struct GIFControl: Sendable {
    enum Disposal: Sendable {
        case keep, background, previous
    }

    var disposal = Disposal.keep
    var transparentIndex: Int?
    /// How long the frame is shown, in seconds.
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
