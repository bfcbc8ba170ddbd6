import Glibc

/// The cosines of the components along one side: `cos(pi / count * component * (position + phase))`.
struct CosineTable {
    let count: Int
    let components: Int
    /// The components of position 0, then of position 1, and so on.
    let values: [Double]

    init(count: Int, components: Int, phase: Double) {
        self.count = count
        self.components = components
        values = [Double](unsafeUninitializedCapacity: count * components) { values, initialized in
            for position in 0..<count {
                for component in 0..<components {
                    // In this order, as in the references of ThumbHash: its encoder rounds many exact ties.
                    values.initializeElement(
                        at: position * components + component,
                        to: cos(.pi / Double(count) * Double(component) * (Double(position) + phase)))
                }
            }
            initialized = count * components
        }
    }

    subscript(component: Int, position: Int) -> Double { values[position * components + component] }
}

/// Cosine components of up to four channels, row by row.
struct CosineGrid {
    let columns: Int
    let rows: Int
    var values: [SIMD4<Double>]

    init(columns: Int, rows: Int, values: [SIMD4<Double>]? = nil) {
        self.columns = columns
        self.rows = rows
        self.values = values ?? [SIMD4<Double>](repeating: .zero, count: columns * rows)
    }

    subscript(column: Int, row: Int) -> SIMD4<Double> {
        get { values[row * columns + column] }
        set { values[row * columns + column] = newValue }
    }

    /// Makes an image of `size` pixels of four bytes; `pixel` converts the channels of one.
    func pixels(
        _ size: PixelSize, format: PixelFormat, phase: Double, _ pixel: (SIMD4<Double>) -> SIMD4<UInt8>
    ) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.current.check(size, format: format)
        // Each position has an entry in a table.
        guard max(size.width, size.height) <= ImageLimits.maximumFilteredSide else {
            throw .tooLarge(width: size.width, height: size.height)
        }
        let across = CosineTable(count: size.width, components: columns, phase: phase)
        let down = CosineTable(count: size.height, components: rows, phase: phase)
        return try PixelBuffer.decoding(size, format: format) { target, bytesPerRow in
            var line = [SIMD4<Double>](repeating: .zero, count: columns)
            for y in 0..<size.height {
                for column in 0..<columns {
                    line[column] = .zero
                    for row in 0..<rows { line[column] += self[column, row] * down[row, y] }
                }
                let bytes = (target + y * bytesPerRow).assumingMemoryBound(to: SIMD4<UInt8>.self)
                for x in 0..<size.width {
                    var sum = SIMD4<Double>.zero
                    for column in 0..<columns { sum += line[column] * across[column, x] }
                    bytes[x] = pixel(sum)
                }
            }
        }
    }
}
