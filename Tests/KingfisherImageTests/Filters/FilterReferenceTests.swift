import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Colour controls and tints against `Tests/Fixtures/generate/filters.py`: the documented formulas of Core
/// Image, in floating point and linear light.
@Suite struct FilterReferenceTests {
    static let controls: [[CGFloat]] = [
        [0, 1, 0, 0.7], [0.1, 1, 1, 0], [-0.2, 1, 1, 0], [0, 1.5, 1, 0], [0, 0.25, 1, 0], [0, 1, 2, 0],
        [0, 1, -1, 0], [0, 1, 1, -2], [0.05, 1.2, 0.6, 0.5], [0.3, 4, 1.5, -1.5], [0, -1, 1, 0],
        [0.5, 1, 1, -10],
        // Values that exceed the range of the tables.
        [0, 4, 2, 10], [0, 10, 1, 10],
    ]
    static let tints: [[CGFloat]] = [
        [100, 0, 0, 50], [20, 60, 100, 30], [0, 100, 0, 100], [50, 50, 50, 1], [120, -20, 40, 70],
    ]

    private func fixture(_ name: String) throws -> [Int] {
        try Fixtures.data(named: "Filters/\(name).rgba").map(Int.init)
    }

    private func source() throws -> Image {
        Image(pixels: try Samples.buffer(512, .rgba8Premultiplied, fixture("source")))
    }

    /// At most one off; of the opaque pixels, which come first, at most one sample in 25.
    private func expect(_ image: Image, _ name: String) throws {
        let (ours, theirs) = (try #require(image.pixels).packed, try fixture(name))
        #expect(try #require(PixelDifference(ours, theirs)).largest <= 1)
        let opaque = 256 * 4
        #expect(zip(ours, theirs).prefix(opaque).count { $0 != $1 } * 25 <= opaque)
    }

    @Test(arguments: controls) func colorControlsMatchTheReference(numbers: [CGFloat]) throws {
        let adjusted = try source().kf.adjusted(
            brightness: numbers[0], contrast: numbers[1], saturation: numbers[2], inputEV: numbers[3])
        try expect(adjusted, "controls-" + numbers.map { "\($0)" }.joined(separator: "_"))
    }

    @Test(arguments: tints) func tintMatchesTheReference(percents: [CGFloat]) throws {
        let parts = percents.map { $0 / 100 }
        let tinted = try source().kf.tinted(
            with: Color(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3]))
        try expect(tinted, "tint-" + percents.map { "\(Int($0))" }.joined(separator: "_"))
    }
}
