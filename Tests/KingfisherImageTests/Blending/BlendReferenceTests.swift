import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage

/// Compares every mode with `Tests/Fixtures/generate/blend.py`: the formulas of W3C "Compositing and Blending
/// Level 1" in floating point, on canvases from clear to opaque.
@Suite struct BlendReferenceTests {
    private static let opacities = [1.0, 0.29]

    private func fixture(_ name: String) throws -> [Int] {
        try Fixtures.data(named: "Blend/\(name).rgba").map(Int.init)
    }

    @Test(arguments: BlendMode.allCases) func everySampleDiffersByAtMostOne(mode: BlendMode) throws {
        let pixels = try fixture("source")
        let source = try Samples.buffer(pixels.count / 4, .rgba8Premultiplied, pixels)
        let canvases = try fixture("canvases")
        var ours: [Int] = []
        for start in stride(from: 0, to: canvases.count, by: 4) {
            let canvas = SIMD4(canvases[start..<start + 4].map(UInt8.init))
            for opacity in Self.opacities {
                ours += try source.blended(mode, over: canvas, opacity: opacity).packed
            }
        }
        let theirs = try fixture("\(mode)")
        try #require(theirs.count == ours.count && theirs.count == 125 * 4 * 8 * 2)
        let differences = zip(ours, theirs).map { abs($0 - $1) }
        #expect(differences.max() == 0 || differences.max() == 1)
        // Halves and their neighbours may round to either side.
        #expect(differences.count { $0 == 1 } * 100 <= differences.count)
    }

    @Test(arguments: BlendMode.allCases) func coloursStayBelowAlpha(mode: BlendMode) throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<40 {
            let source = try PixelBuffer.noise(67, 1, .rgba8Premultiplied, using: &generator)
            let canvas = try #require(
                PixelBuffer.noise(1, 1, .rgba8Premultiplied, using: &generator).samples(x: 0, y: 0))
            let blended = try source.blended(
                mode, over: SIMD4(canvas.map(UInt8.init)), opacity: .random(in: 0...1, using: &generator))
            #expect(Samples.all(blended).allSatisfy { max($0[0], $0[1], $0[2]) <= $0[3] })
        }
    }
}
