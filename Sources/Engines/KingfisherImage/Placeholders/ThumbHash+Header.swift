extension ThumbHash {
    /// The fields before the amplitudes. Channels are luminance, yellow - blue, red - green, and alpha.
    struct Header {
        var hasAlpha: Bool
        var isLandscape: Bool
        /// The number of luminance components along the shorter side, 1...7.
        var shorter: Int
        /// The averages: luminance and alpha 0...1, colour differences -1...1.
        var averages: SIMD4<Double>
        /// The largest amplitude of each channel, 0...1.
        var scales: SIMD4<Double>

        static let shortest = 5

        /// The number of luminance components along the longer side.
        var longer: Int { hasAlpha ? 5 : 7 }

        /// The numbers of luminance components, whose ratio is the aspect ratio.
        var luminance: (x: Int, y: Int) { isLandscape ? (longer, shorter) : (shorter, longer) }

        /// The components of each channel.
        var channels: [Triangle] {
            let color = Triangle(columns: 3, rows: 3)
            let luminance = Triangle(columns: max(luminance.x, 3), rows: max(luminance.y, 3))
            return [luminance, color, color] + (hasAlpha ? [Triangle(columns: 5, rows: 5)] : [])
        }

        var byteCount: Int { hasAlpha ? 6 : 5 }

        var hashByteCount: Int { byteCount + (channels.reduce(0) { $0 + $1.amplitudeCount } + 1) / 2 }
    }

    /// The components of a channel: column / columns + row / rows is less than 1.
    struct Triangle {
        let columns: Int
        let rows: Int

        func columns(inRow row: Int) -> Int {
            (columns * (rows - row) + rows - 1) / rows
        }

        /// The number of components without the average.
        var amplitudeCount: Int { (0..<rows).reduce(-1) { $0 + columns(inRow: $1) } }
    }
}

extension ThumbHash.Header {
    /// Reads at least `shortest` bytes; a missing sixth counts as 0.
    init(_ bytes: [UInt8]) {
        let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        let second = Int(bytes[3]) | Int(bytes[4]) << 8
        hasAlpha = first >> 23 != 0
        isLandscape = second >> 15 != 0
        shorter = second & 7
        let alpha = hasAlpha ? Int(bytes.count > 5 ? bytes[5] : 0) : 255
        averages = SIMD4(
            Double(first & 63) / 63, Double(first >> 6 & 63) / 31.5 - 1,
            Double(first >> 12 & 63) / 31.5 - 1, Double(alpha & 15) / 15)
        scales = SIMD4(
            Double(first >> 18 & 31) / 31, Double(second >> 3 & 63) / 63, Double(second >> 9 & 63) / 63,
            Double(alpha >> 4) / 15)
    }

    var bytes: [UInt8] {
        func rounded(_ value: Double) -> Int { Int(value.rounded()) }
        let colors = rounded(63 * averages.x) | rounded(31.5 + 31.5 * averages.y) << 6
        let first =
            colors | rounded(31.5 + 31.5 * averages.z) << 12 | rounded(31 * scales.x) << 18
            | (hasAlpha ? 1 << 23 : 0)
        let second =
            shorter | rounded(63 * scales.y) << 3 | rounded(63 * scales.z) << 9 | (isLandscape ? 1 << 15 : 0)
        let alpha = rounded(15 * averages.w) | rounded(15 * scales.w) << 4
        let numbers = [first, first >> 8, first >> 16, second, second >> 8] + (hasAlpha ? [alpha] : [])
        return numbers.map { UInt8(truncatingIfNeeded: $0) }
    }
}
