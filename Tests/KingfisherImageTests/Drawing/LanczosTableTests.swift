import Testing

@testable import KingfisherImage

@Suite struct LanczosTableTests {
    @Test(arguments: [
        (100, 7, 1), (100, 33, 1), (7, 100, 1), (1, 1, 1), (1, 9, 1), (103, 10, 4), (4000, 300, 4),
    ])
    func weightsSumUpToOneInsideTheInput(pixels: Int, target: Int, box: Int) {
        let axis = SampledAxis(pixels: pixels, box: box)
        let table = LanczosTable(source: axis, target: target)
        let fixed = LanczosTable.Fixed(table)
        #expect(table.count == target)
        #expect(fixed.stride % 4 == 0 && fixed.stride >= fixed.taps)
        for output in 0..<target {
            #expect(table.first[output] >= 0)
            #expect(Int(table.first[output]) + table.taps <= axis.cells)
            let exact = table.weights[output * table.taps..<(output + 1) * table.taps]
            #expect(abs(exact.reduce(0, +) - 1) < 1e-12)
            let rounded = fixed.weights[output * fixed.stride..<(output + 1) * fixed.stride]
            #expect(rounded.reduce(0) { $0 + Int($1) } == 1 << fixed.shift)
            #expect(rounded.dropFirst(fixed.taps).allSatisfy { $0 == 0 })
            // Only the sum of the roundings may be elsewhere than at the exact weights.
            #expect(fixed.first[output] % 2 == 0)
            let shift = Int(table.first[output] - fixed.first[output])
            for (tap, weight) in exact.enumerated() {
                let difference =
                    Double(rounded[rounded.startIndex + shift + tap]) - weight * Double(1 << fixed.shift)
                #expect(abs(difference) <= Double(table.taps + 1) / 2)
            }
        }
    }

    /// Memory for rows of a JPEG file is reserved by this bound, before there is a table.
    @Test(arguments: [
        (100, 7), (100, 33), (100, 99), (7, 100), (1, 9), (751, 225), (4000, 1000), (4001, 503),
    ])
    func groupsOfOutputsReadNoMoreThanTheWindow(pixels: Int, target: Int) {
        for box in 1...3 {
            let axis = SampledAxis(pixels: pixels, box: box)
            let fixed = LanczosTable.Fixed(LanczosTable(source: axis, target: target))
            for outputs in 1...min(4, target) {
                let window = LanczosTable.window(source: axis, target: target, outputs: outputs)
                for first in 0...target - outputs {
                    let read = Int(fixed.first[first + outputs - 1] - fixed.first[first]) + fixed.taps
                    #expect((read + 1) & ~1 <= window)
                }
            }
        }
    }

    /// The last cell must count after an integer pre-shrink: 4000 / 6 leaves two thirds of a cell.
    @Test func aPartialLastCellKeepsItsWeight() {
        let axis = SampledAxis(pixels: 4000, box: 6)
        #expect(axis.cells == 667)
        #expect(abs(axis.extent - 4000.0 / 6) < 1e-12)
        #expect(abs(axis.share(of: 666) - 2.0 / 3) < 1e-9)
        #expect(axis.share(of: 665) == 1)
        #expect(abs(axis.center(of: 666) - (666 + 1.0 / 3)) < 1e-9)
    }

    @Test func boxesLeaveAtLeastThreeTimesTheTarget() {
        let plan = ShrinkPlan(
            from: PixelSize(width: 4000, height: 300), to: PixelSize(width: 300, height: 225), margin: 3)
        #expect(plan.boxWidth == 4)
        #expect(plan.boxHeight == 1)
        #expect(plan.size.width == 1000)
        let capped = ShrinkPlan(
            from: PixelSize(width: 90_000, height: 1), to: PixelSize(width: 1, height: 1), margin: 3)
        #expect(capped.boxWidth == 255)
    }

    @Test func symmetricInputGivesSymmetricWeights() {
        let table = LanczosTable(source: SampledAxis(pixels: 50, box: 1), target: 20)
        for output in 0..<20 {
            var left = [Double](repeating: 0, count: 50)
            var right = left
            for tap in 0..<table.taps {
                left[Int(table.first[output]) + tap] = table.weights[output * table.taps + tap]
                right[49 - Int(table.first[19 - output]) - tap] =
                    table.weights[(19 - output) * table.taps + tap]
            }
            #expect(zip(left, right).allSatisfy { abs($0 - $1) < 1e-9 })
        }
    }
}
