/// The part of a frame that a GIF has to draw: pixels that are new, opaque, in the smallest rectangle.
struct GIFDrawing {
    let canvas: PixelSize
    let area: ChangedArea
    /// Row by row, without padding; alpha is 255 where the frame draws, and 0 where it leaves what is there.
    private(set) var pixels: [StraightPixel] = []

    /// What turns the canvas from `base` into `image`, both in straight 8-bit RGBA of one size; all of
    /// `image` over an empty canvas, and in the rectangle of the whole canvas where `fillsCanvas`.
    ///
    /// No pixel may be clear in `image` that is opaque in `base`: see `uncovers`.
    init(_ image: PixelBuffer, over base: PixelBuffer?, fillsCanvas: Bool) {
        canvas = image.size
        if base == nil || fillsCanvas {
            area = ChangedArea(canvas)
        } else {
            // A frame must have a pixel, though nothing has changed.
            area =
                base.flatMap { ChangedArea(from: $0, to: image) }
                ?? ChangedArea(PixelSize(width: 1, height: 1))
        }
        pixels.reserveCapacity(area.width * area.height)
        for y in area.top..<area.top + area.height {
            image.withStraightRow(y) { row in
                let row = row[area.left..<area.left + area.width]
                guard let base else { return pixels += row.lazy.map { $0.withoutTranslucency } }
                base.withStraightRow(y) { under in
                    pixels += row.indices.lazy.map { x in
                        row[x].showsSame(as: under[x]) ? .clear : row[x].withoutTranslucency
                    }
                }
            }
        }
    }

    /// The same rectangle with pixels, too, that are as they were.
    func drawingAll(of image: PixelBuffer) -> GIFDrawing {
        var drawing = self
        drawing.pixels.removeAll(keepingCapacity: true)
        for y in area.top..<area.top + area.height {
            image.withStraightRow(y) { row in
                drawing.pixels += row[area.left..<area.left + area.width].lazy.map { $0.withoutTranslucency }
            }
        }
        return drawing
    }

    /// Whether a pixel is clear in `image` that is opaque in `base`: a frame cannot draw that.
    static func uncovers(_ image: PixelBuffer, base: PixelBuffer) -> Bool {
        (0..<image.height).contains { y in
            image.withStraightRow(y) { row in
                base.withStraightRow(y) { under in
                    row.indices.contains { row[$0].isClear && !under[$0].isClear }
                }
            }
        }
    }
}

/// Straight RGBA, as memory holds it.
struct StraightPixel {
    let red, green, blue, alpha: UInt8

    static let clear = StraightPixel(red: 0, green: 0, blue: 0, alpha: 0)

    /// GIF has nothing between opaque and transparent.
    var isClear: Bool { alpha < 128 }
    var color: SIMD3<UInt8> { SIMD3(red, green, blue) }

    /// The pixel as a GIF shows it.
    fileprivate var withoutTranslucency: StraightPixel {
        isClear ? .clear : StraightPixel(red: red, green: green, blue: blue, alpha: 255)
    }

    fileprivate func showsSame(as other: StraightPixel) -> Bool {
        isClear ? other.isClear : !other.isClear && color == other.color
    }
}

extension PixelBuffer {
    /// Lends row `y` of an image in straight or opaque 8-bit RGBA to `body`.
    fileprivate func withStraightRow<Result>(
        _ y: Int, _ body: (UnsafeBufferPointer<StraightPixel>) -> Result
    ) -> Result {
        withUnsafeBytes { bytes in
            let row = UnsafeRawBufferPointer(rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + width * 4])
            return body(row.bindMemory(to: StraightPixel.self))
        }
    }

    /// The image in straight or opaque 8-bit RGBA, as GIF's encoder reads it.
    func straightForGIF() throws(ImageCodecError) -> PixelBuffer {
        let isStraight = format.layout == .rgba && format.depth == .eight && format.alpha != .premultiplied
        return isStraight ? self : try converted(to: .rgba8Straight)
    }
}
