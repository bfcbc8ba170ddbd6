import CKernels
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// The filters of PNG against their definition, at every instruction level, in memory that ends exactly with
/// the data.
@Suite struct PNGUnfilterTests {
    /// W3C PNG, 9.2 and 9.4, byte by byte.
    private func defined(
        _ source: [UInt8], stride: Int, rows: Int, width: Int, channels: Int, above: [UInt8]
    ) -> [[UInt8]] {
        var above = above.map { Int($0) }
        return (0..<rows).map { row in
            let filter = source[row * stride]
            var made = [Int](repeating: 0, count: width * channels)
            for index in made.indices {
                let left = index < channels ? 0 : made[index - channels]
                let corner = index < channels ? 0 : above[index - channels]
                let up = above[index]
                let estimate = left + up - corner
                let nearest = [left, up, corner].map { abs(estimate - $0) }
                let paeth =
                    nearest[0] <= nearest[1] && nearest[0] <= nearest[2]
                    ? left : nearest[1] <= nearest[2] ? up : corner
                let predicted = [0, left, up, (left + up) / 2, paeth][Int(filter)]
                made[index] = (Int(source[row * stride + 1 + index]) + predicted) % 256
            }
            above = made
            return made.map { UInt8($0) }
        }
    }

    /// Expands three channels to four; the fourth is opaque.
    private func spread(_ row: [UInt8], _ channels: Int) -> [UInt8] {
        guard channels == 3 else { return row }
        return Swift.stride(from: 0, to: row.count, by: 3).flatMap { row[$0..<$0 + 3] + [255] }
    }

    @Test(arguments: KernelLevel.supported, [1, 2, 3, 4])
    func everyFilterMatchesItsDefinitionAtEveryWidth(level: KernelLevel, channels: Int) {
        var generator = SeededGenerator(seed: UInt64(channels))
        func noise(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in
                [0, 255, 254, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator)
                    ?? 0
            }
        }
        for width in 1...70 {
            let rows = 1 + width % 11
            let stride = 1 + width * channels + width % 3
            var source = noise(stride * (rows - 1) + 1 + width * channels + 3)
            for row in 0..<rows {
                // Paeth comes first, because it takes the following rows with it, regardless of their
                // filters.
                source[row * stride] =
                    row % 4 == 0 && width % 2 == 0 ? 4 : UInt8.random(in: 0...4, using: &generator)
            }
            let above = noise(width * channels)
            let made = channels == 3 ? 4 : channels
            let targetStride = width * made + width % 5
            var target = [UInt8](repeating: 7, count: targetStride * (rows - 1) + width * made)
            kf_png_unfilter(
                level.native, source, stride, Int32(rows), Int32(width), Int32(channels),
                spread(above, channels), &target, targetStride)
            let expected = defined(
                source, stride: stride, rows: rows, width: width, channels: channels, above: above)
            for row in 0..<rows {
                let start = row * targetStride
                let end = start + width * made
                #expect(
                    Array(target[start..<end]) == spread(expected[row], channels), "row \(row), \(width) wide"
                )
                // The bytes between the rows are not written.
                let gap = target[end..<(row == rows - 1 ? end : start + targetStride)]
                #expect(gap.allSatisfy { $0 == 7 })
            }
        }
    }

    @Test func paletteColoursAreLookedUp() {
        let colors = (0..<1024).map { UInt8($0 % 251) }
        var target = [UInt8](repeating: 0, count: 12)
        kf_png_look_up([0, 255, 9], 3, colors, &target)
        #expect(target == Array(colors[0..<4] + colors[1020..<1024] + colors[36..<40]))
    }
}
