import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

@Suite("AVIF: small targets", .enabled(if: Tools.arePresent))
struct ScaledTests {
    static let encodings: [[String]] = [
        ["-y", "444"], ["-y", "422"], ["-y", "420"], ["-y", "400"], ["-y", "420", "-r", "limited"], ["-l"],
        ["-d", "10", "-y", "420"], ["-d", "12", "-y", "444"], ["--grid", "2x2", "-y", "420"],
    ]

    @Test("Scaled planes look like scaled pixels", arguments: ScaledTests.encodings)
    func planes(_ arguments: [String]) throws {
        let file = try Tools.encode([TestImages.smooth(256, 192)], arguments)
        let target = PixelSize(width: 80, height: 60)
        let small = try AVIFCodec().decode(file, shrunkTo: target)
        let reference = try Tools.decode(file)
        let expected = try reference.resized(to: target)
        #expect(small.size == target)
        let peak = Double(small.format.depth == .eight ? 255 : 65_535)
        #expect(try PixelGrid(small).decibels(to: PixelGrid(expected), peak: peak) > 40)
    }

    @Test("Alpha weights the colours", arguments: [[], ["-p"]])
    func alpha(_ arguments: [String]) throws {
        let file = try Tools.encode(
            [TestImages.gradients(256, 192, alpha: true)], arguments + ["--min", "0", "--max", "0"])
        let target = PixelSize(width: 80, height: 60)
        let small = try AVIFCodec().decode(file, shrunkTo: target)
        let expected = try decode(file).resized(to: target)
        #expect(small.format == .rgba8Premultiplied)
        let distances = (0..<60).flatMap { y in
            (0..<80).flatMap { x in
                zip(small.samples(x: x, y: y) ?? [], expected.samples(x: x, y: y) ?? []).map { abs($0 - $1) }
            }
        }
        #expect((distances.max() ?? .max) <= 4)
    }

    @Test("A minimum size gives at least that size")
    func minimum() throws {
        let file = try Tools.encode([TestImages.gradients(256, 192)], "-y", "420")
        let pixels = try AVIFCodec().decode(file, minimumSize: PixelSize(width: 100, height: 90))
        #expect(pixels.size == PixelSize(width: 120, height: 90))
    }
}
