import Foundation

extension BlurHash {
    /// Computes the hash of an image, or of an animation's first frame.
    ///
    /// The image is first reduced to at most 32 pixels along its longer side, and transparency is drawn over
    /// white. More components show more detail; they are clamped to 1...9. Works on the caller's thread.
    /// Throws `emptyImage`, or an error of the reduction.
    public init(of image: Image, components: (x: Int, y: Int) = (4, 3)) throws(ImageCodecError) {
        let pixels = try image.reduced(toLongerSide: 32).flattenedOverWhite().converted(to: .rgba8Opaque)
        let columns = min(max(components.x, 1), Self.mostComponents)
        let rows = min(max(components.y, 1), Self.mostComponents)
        let colors = Self.grid(of: pixels, columns: columns, rows: rows).values
        let largest = colors.dropFirst().map { max(abs($0.x), abs($0.y), abs($0.z)) }.max()
        // In steps of 1/166, up to one half.
        let maximum = largest.map { Int(min(max(($0 * 166 - 0.5).rounded(.down), 0), 82)) } ?? 0
        let scale = Double(maximum + 1) / 166
        self.init(
            columns: columns, rows: rows, maximum: maximum,
            average: Self.number(colors[0], base: 256) { Int(SRGBLevels.level($0)) },
            amplitudes: colors.dropFirst().map { color in
                Self.number(color, base: Self.levels) { Self.level(ofAmplitude: $0 / scale) }
            })
    }

    /// The components in linear light. Each row of the image is summed over x first, then over y: with five
    /// rows of components this takes a fifth of the multiplications of a sum over both.
    private static func grid(of pixels: PixelBuffer, columns: Int, rows: Int) -> CosineGrid {
        let across = CosineTable(count: pixels.width, components: columns, phase: 0)
        let down = CosineTable(count: pixels.height, components: rows, phase: 0)
        var grid = CosineGrid(columns: columns, rows: rows)
        var line = [SIMD4<Double>](repeating: .zero, count: columns)
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                for column in 0..<columns { line[column] = .zero }
                for x in 0..<pixels.width {
                    let pixel = y * pixels.bytesPerRow + x * 4
                    let color = SIMD4(
                        SRGBLevels.linear[Int(bytes[pixel])], SRGBLevels.linear[Int(bytes[pixel + 1])],
                        SRGBLevels.linear[Int(bytes[pixel + 2])], 0)
                    for column in 0..<columns { line[column] += color * across[column, x] }
                }
                for row in 0..<rows {
                    for column in 0..<columns { grid[column, row] += line[column] * down[row, y] }
                }
            }
        }
        let share = 1 / Double(pixels.size.area)
        for index in grid.values.indices { grid.values[index] *= index == 0 ? share : 2 * share }
        return grid
    }

    /// The level 0...18 of an amplitude from -1 to 1; small amplitudes have finer steps.
    private static func level(ofAmplitude value: Double) -> Int {
        let root = copysign(abs(value).squareRoot(), value)
        return Int(min(max((root * 9 + 9.5).rounded(.down), 0), 18))
    }

    private static func number(_ color: SIMD4<Double>, base: Int, _ digit: (Double) -> Int) -> Int {
        (digit(color.x) * base + digit(color.y)) * base + digit(color.z)
    }
}

extension Image {
    /// The upright pixels, or the pixels of an animation's first frame, reduced to at most `side` along a
    /// side.
    func reduced(toLongerSide side: Int) throws(ImageCodecError) -> PixelBuffer {
        guard let pixels else { throw .emptyImage }
        return try pixels.shrunk(toLongerSide: Double(side)).upright(from: imageOrientation)
    }
}
