import CKernels
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// The loops that paint one colour follow the formulas, give the same bytes at every level and write nothing
/// past the end.
@Suite struct CoverKernelTests {
    private static let widths = Array(1...70)

    /// Premultiplied pixels, many of them with an alpha of 0 or 255.
    private static func pixels(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).flatMap { _ -> [UInt8] in
            let alpha = [0, 255, UInt8.random(in: 0...255, using: &generator)].randomElement(
                using: &generator)
            return (0..<3).map { _ in UInt8.random(in: 0...(alpha ?? 0), using: &generator) } + [alpha ?? 0]
        }
    }

    private static let colors: [[UInt8]] = [
        [0, 0, 0, 0], [255, 255, 255, 255], [200, 30, 90, 255], [90, 0, 128, 128], [1, 0, 1, 1],
        [253, 254, 0, 254],
    ]

    /// Runs of 0 and of 255, longer than a vector, with partial coverage between.
    private static func coverage(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        while bytes.count < count {
            let share = [0, 255, UInt8.random(in: 0...255, using: &generator)].randomElement(
                using: &generator)
            let run = Int.random(in: 1...20, using: &generator)
            bytes += Array(repeating: share ?? 0, count: run)
        }
        return Array(bytes.prefix(count))
    }

    /// Rounds half up; among multiples of 1/255², a half only occurs if all roundings agree.
    private func nearest(_ value: Double) -> UInt8 { UInt8(value.rounded()) }

    @Test(arguments: KernelLevel.supported) func paintIsSourceOverWeightedByCoverage(level: KernelLevel) {
        for width in Self.widths {
            for color in Self.colors {
                let before = Self.pixels(width, seed: UInt64(width))
                let coverage = Self.coverage(width, seed: UInt64(width))
                var after = before
                kf_paint(level.native, &after, coverage, width, color)
                for i in after.indices {
                    let share = Double(coverage[i / 4]) / 255
                    let rest = 1 - Double(color[3]) / 255 * share
                    #expect(after[i] == nearest(Double(color[i % 4]) * share + Double(before[i]) * rest))
                }
            }
        }
    }

    @Test(arguments: KernelLevel.supported) func overlayIsSourceAtop(level: KernelLevel) {
        for width in Self.widths {
            for color in Self.colors {
                let before = Self.pixels(width, seed: UInt64(width))
                var after = [UInt8](repeating: 7, count: before.count)
                kf_overlay(level.native, before, width, color, &after)
                for i in after.indices {
                    let alpha = Double(before[i / 4 * 4 + 3]) / 255
                    let rest = 1 - Double(color[3]) / 255
                    #expect(after[i] == nearest(Double(color[i % 4]) * alpha + Double(before[i]) * rest))
                    #expect(i % 4 != 3 || after[i] == before[i])
                }
                var inPlace = before
                inPlace.withUnsafeMutableBufferPointer { pixels in
                    guard let start = pixels.baseAddress else { return }
                    kf_overlay(level.native, start, width, color, start)
                }
                #expect(inPlace == after)
            }
        }
    }

    @Test(arguments: KernelLevel.supported) func underlayIsDestinationOver(level: KernelLevel) {
        for width in Self.widths {
            for color in Self.colors {
                let before = Self.pixels(width, seed: UInt64(width))
                var after = before
                kf_underlay(level.native, &after, width, color)
                for i in after.indices {
                    let rest = 1 - Double(before[i / 4 * 4 + 3]) / 255
                    #expect(after[i] == nearest(Double(before[i]) + Double(color[i % 4]) * rest))
                }
            }
        }
    }

    /// The mark is rounded after it was multiplied by the opacity, so the result may differ by a level.
    @Test(
        "Drawing an image is source over with its samples weighted by the opacity",
        arguments: KernelLevel.supported, [0, 1, 127, 254, 255] as [UInt8])
    func draw(level: KernelLevel, opacity: UInt8) {
        for width in Self.widths {
            let before = Self.pixels(width, seed: UInt64(width))
            let mark = Self.pixels(width, seed: UInt64(width) + 1_000)
            var after = before + [9, 9, 9, 9]
            kf_draw(level.native, mark, width, opacity, &after)
            for i in before.indices {
                let share = Double(opacity) / 255
                let added = Double(mark[i]) * share
                let rest = 1 - Double(mark[i / 4 * 4 + 3]) * share / 255
                let exact = added + Double(before[i]) * rest
                #expect(abs(Double(after[i]) - exact) <= (opacity == 255 ? 0.5 : 1.5))
            }
            #expect(after.suffix(4) == [9, 9, 9, 9])
            var plain = before
            kf_draw(KF_SCALAR, mark, width, opacity, &plain)
            #expect(Array(after.dropLast(4)) == plain)
        }
    }

    @Test func coverMultipliesByTheCoverage() {
        for width in Self.widths {
            let before = Self.pixels(width, seed: UInt64(width))
            let coverage = Self.coverage(width, seed: UInt64(width))
            var after = before
            kf_cover(&after, coverage, width)
            for i in after.indices {
                #expect(after[i] == nearest(Double(before[i]) * Double(coverage[i / 4]) / 255))
            }
        }
    }

    @Test("Pixels whose colours exceed alpha, which are invalid, stay in 0...255")
    func colorsAboveAlpha() {
        for level in KernelLevel.supported {
            for color in Self.colors {
                let broken = [UInt8](repeating: 255, count: 36).enumerated().map { $0 % 4 == 3 ? 0 : $1 }
                var (under, atop) = (broken, broken)
                kf_underlay(level.native, &under, 9, color)
                kf_overlay(level.native, broken, 9, color, &atop)
                var (drawn, plainDrawn) = (
                    [UInt8](repeating: 200, count: 36), [UInt8](repeating: 200, count: 36)
                )
                kf_draw(level.native, broken, 9, 250, &drawn)
                kf_draw(KF_SCALAR, broken, 9, 250, &plainDrawn)
                #expect(drawn == plainDrawn && drawn[0] == 255 && drawn[3] == 200)
                var (plainUnder, plainAtop) = (broken, broken)
                kf_underlay(KF_SCALAR, &plainUnder, 9, color)
                kf_overlay(KF_SCALAR, broken, 9, color, &plainAtop)
                #expect(under == plainUnder && atop == plainAtop)
                #expect(under[0] == 255)
            }
        }
    }
}
