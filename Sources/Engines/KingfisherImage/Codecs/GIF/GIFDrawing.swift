/// The part of a frame that a GIF must draw: the new opaque pixels, in the smallest rectangle.
struct GIFDrawing {
    let canvas: PixelSize
    let area: ChangedArea
    /// Row by row, without padding; alpha is 255 for drawn pixels, and 0 for unchanged ones.
    private(set) var pixels: [PalettePixel] = []

    /// The difference from `base` to `image`, both straight 8-bit RGBA of one size; all of `image` over an
    /// empty canvas. With `fillsCanvas` the rectangle is the whole canvas.
    ///
    /// A pixel that is opaque in `base` must not be transparent in `image`; see `uncovers`.
    init(_ image: PixelBuffer, over base: PixelBuffer?, fillsCanvas: Bool) {
        canvas = image.size
        if base == nil || fillsCanvas {
            area = ChangedArea(canvas)
        } else {
            // A frame needs at least one pixel, even if nothing has changed.
            area =
                base.flatMap { ChangedArea(from: $0, to: image) }
                ?? ChangedArea(PixelSize(width: 1, height: 1))
        }
        pixels.reserveCapacity(area.width * area.height)
        for y in area.top..<area.top + area.height {
            image.withPaletteRow(y) { row in
                let row = row[area.left..<area.left + area.width]
                guard let base else { return pixels += row.lazy.map { $0.withoutTranslucency } }
                base.withPaletteRow(y) { under in
                    pixels += row.indices.lazy.map { x in
                        row[x].showsSame(as: under[x]) ? .transparent : row[x].withoutTranslucency
                    }
                }
            }
        }
    }

    func drawingAll(of image: PixelBuffer) -> GIFDrawing {
        var drawing = self
        drawing.pixels.removeAll(keepingCapacity: true)
        for y in area.top..<area.top + area.height {
            image.withPaletteRow(y) { row in
                drawing.pixels += row[area.left..<area.left + area.width].lazy.map { $0.withoutTranslucency }
            }
        }
        return drawing
    }

    static func uncovers(_ image: PixelBuffer, base: PixelBuffer) -> Bool {
        (0..<image.height).contains { y in
            image.withPaletteRow(y) { row in
                base.withPaletteRow(y) { under in
                    row.indices.contains { row[$0].isClear && !under[$0].isClear }
                }
            }
        }
    }
}

extension PalettePixel {
    /// GIF has no translucency: half-transparent pixels become opaque or transparent.
    fileprivate var isClear: Bool { alpha < 128 }

    fileprivate var withoutTranslucency: PalettePixel {
        isClear ? .transparent : PalettePixel(red: red, green: green, blue: blue, alpha: 255)
    }

    fileprivate func showsSame(as other: PalettePixel) -> Bool {
        if isClear { return other.isClear }
        return !other.isClear && red == other.red && green == other.green && blue == other.blue
    }
}

extension PixelBuffer {
    func straightForGIF() throws(ImageCodecError) -> PixelBuffer {
        let isStraight = format.layout == .rgba && format.depth == .eight && format.alpha != .premultiplied
        return isStraight ? self : try converted(to: .rgba8Straight)
    }
}
