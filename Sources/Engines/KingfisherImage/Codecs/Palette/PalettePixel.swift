/// A pixel of an image that gets a palette: the levels of red, green, blue and alpha.
struct PalettePixel {
    let red, green, blue, alpha: UInt8

    static let transparent = PalettePixel(red: 0, green: 0, blue: 0, alpha: 0)

    var isTransparent: Bool { alpha == 0 }
    var levels: SIMD4<UInt8> { SIMD4(red, green, blue, alpha) }
}

extension PixelBuffer {
    /// Calls `body` with a row of 8-bit RGBA pixels.
    func withPaletteRow<Result>(
        _ y: Int, _ body: (UnsafeBufferPointer<PalettePixel>) -> Result
    ) -> Result {
        withUnsafeBytes { bytes in
            let row = UnsafeRawBufferPointer(rebasing: bytes[y * bytesPerRow..<y * bytesPerRow + width * 4])
            return body(row.bindMemory(to: PalettePixel.self))
        }
    }
}
