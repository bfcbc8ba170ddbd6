import CKernels
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// The filters of the specification (W3C PNG, section 9), implemented a second time. The memory ends with the
/// row, so that the Address Sanitizer finds every access beyond.
@Suite struct PNGFilterTests {
    private func predicted(_ filter: Int, _ left: Int, _ up: Int, _ corner: Int) -> Int {
        switch filter {
        case 1: return left
        case 2: return up
        case 3: return (left + up) >> 1
        case 4:
            let estimate = left + up - corner
            let distances = [left, up, corner].map { abs(estimate - $0) }
            return [left, up, corner][distances.firstIndex(of: distances.min() ?? 0) ?? 0]
        default: return 0
        }
    }

    private func filtered(_ filter: Int, _ row: [UInt8], _ above: [UInt8], _ step: Int) -> [UInt8] {
        row.indices.map { i in
            let (left, corner) = i < step ? (0, 0) : (Int(row[i - step]), Int(above[i - step]))
            return row[i] &- UInt8(predicted(filter, left, Int(above[i]), corner))
        }
    }

    private func cost(_ bytes: [UInt8]) -> Int {
        bytes.reduce(0) { $0 + abs(Int(Int8(bitPattern: $1))) }
    }

    @Test(arguments: KernelLevel.supported, [1, 2, 3, 4, 6, 8])
    func theFilterWithTheLeastSumIsChosenAndApplied(level: KernelLevel, step: Int) {
        var generator = SeededGenerator(seed: UInt64(step))
        var seen = Set<UInt8>()
        for count in Array(1...70) + [256, 1_000] {
            for kind in 0..<6 {
                let above = (0..<count).map { i in
                    kind == 5 ? UInt8.random(in: 0...255, using: &generator) : UInt8(i * 31 % 251)
                }
                let row = (0..<count).map { i -> UInt8 in
                    let noise = UInt8.random(in: 0...2, using: &generator)
                    let up = above[i]
                    return switch kind {
                    case 0: noise
                    case 1: UInt8(truncatingIfNeeded: i / step * 3) &+ noise
                    case 2: up &+ noise
                    case 3: UInt8((Int(up) + i * 5 % 200) / 2)
                    case 4: i < step ? up : up &+ above[i - step] &+ noise
                    default: UInt8.random(in: 0...255, using: &generator)
                    }
                }
                let candidates = (0...4).map { filtered($0, row, above, step) }
                let costs = candidates.map(cost)
                let best = costs.firstIndex(of: costs.min() ?? 0) ?? 0
                let lead = [UInt8](repeating: 0, count: step)
                var target = [UInt8](repeating: 0, count: count + 1)
                (lead + row).withUnsafeBufferPointer { row in
                    (lead + above).withUnsafeBufferPointer { above in
                        guard let row = row.baseAddress, let above = above.baseAddress else { return }
                        kf_png_filter(level.native, row + step, above + step, count, step, &target)
                    }
                }
                #expect(Int(target[0]) == best, "\(count) bytes, kind \(kind)")
                #expect(Array(target.dropFirst()) == candidates[best], "\(count) bytes, kind \(kind)")
                seen.insert(target[0])
            }
        }
        #expect(seen.count == 5)
    }

    /// Rows that the Paeth predictor predicts except for noise, so that it is chosen, over random corners.
    @Test(arguments: KernelLevel.supported) func paethIsExact(level: KernelLevel) {
        var generator = SeededGenerator(seed: 4)
        let extremes: [UInt8] = [0, 1, 127, 128, 254, 255]
        let above = (0..<60_000).map { i in
            i % 2 == 0
                ? UInt8.random(in: 0...255, using: &generator)
                : extremes.randomElement(using: &generator) ?? 0
        }
        var row: [UInt8] = []
        for i in above.indices {
            let (left, corner) = i == 0 ? (0, 0) : (Int(row[i - 1]), Int(above[i - 1]))
            let noise = i % 50 == 0 ? UInt8.random(in: 0...255, using: &generator) : 0
            row.append(UInt8(predicted(4, left, Int(above[i]), corner)) &+ noise)
        }
        var target = [UInt8](repeating: 0, count: row.count + 1)
        ([0] + row).withUnsafeBufferPointer { row in
            ([0] + above).withUnsafeBufferPointer { above in
                guard let row = row.baseAddress, let above = above.baseAddress else { return }
                kf_png_filter(level.native, row + 1, above + 1, target.count - 1, 1, &target)
            }
        }
        #expect(target[0] == 4)
        #expect(Array(target.dropFirst()) == filtered(4, row, above, 1))
    }

    @Test func packingDropsUnusedChannels() {
        for pixels in 1...70 {
            let source = (0..<4 * pixels).map { UInt8(truncatingIfNeeded: $0 * 7) }
            let colors = source.indices.filter { $0 % 4 != 3 }
            let grayAlpha = source.indices.filter { $0 % 4 == 0 || $0 % 4 == 3 }
            let wide = source.map { UInt16($0) << 8 | UInt16(255 - $0) }
            for (to, kept) in [(1, source.indices.filter { $0 % 4 == 0 }), (2, grayAlpha), (3, colors)] {
                var packed = [UInt8](repeating: 0, count: pixels * to)
                kf_png_pack8(source, pixels, 4, Int32(to), &packed)
                #expect(packed == kept.map { source[$0] })
                var big = [UInt8](repeating: 0, count: pixels * to * 2)
                kf_png_pack16(wide, pixels, 4, Int32(to), &big)
                #expect(big == kept.map { wide[$0] }.flatMap(\.bigEndianBytes))
            }
        }
    }
}
