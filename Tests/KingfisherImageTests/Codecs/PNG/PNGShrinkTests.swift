import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Thumbnails decoded row by row have the pixels of the shrunk whole image.
@Suite struct PNGShrinkTests {
    private let codec = PNGCodec()

    private func maker(_ width: Int, _ height: Int, _ colorType: Int) -> PNGMaker {
        var generator = SeededGenerator(seed: UInt64(width))
        var maker = PNGMaker(width, height, colorType: colorType, using: &generator) { _ in 0 }
        if colorType == 3 { maker.transparency = (0...255).map { UInt8($0) } }
        return maker
    }

    @Test(arguments: [0, 2, 3, 4, 6], [(401, 301), (640, 90), (333, 1), (16, 500)])
    func thumbnailsMatchTheShrunkWholeImage(colorType: Int, size: (Int, Int)) throws {
        let data = maker(size.0, size.1, colorType).file
        let whole = try codec.decode(data, minimumSize: nil)
        for side in [1, 7, 20, 33, 60, 199, 300] {
            let target = try #require(whole.size.shrunk(toLongerSide: Double(side)))
            let small = try Image.downsample(data, using: codec, scale: 1) { _ in target }
            let expected = try whole.resized(to: target)
            #expect(small.pixels?.packedBytes == expected.packedBytes, "\(target)")
            #expect(small.pixels?.format == expected.format)
        }
    }

    @Test func theResultIsAtLeastTheMinimumSize() throws {
        let data = maker(401, 301, 6).file
        for (width, height) in [(1, 1), (50, 38), (100, 75), (101, 75), (200, 151), (201, 1), (401, 301)] {
            let pixels = try codec.decode(data, minimumSize: PixelSize(width: width, height: height))
            #expect(pixels.width >= min(401, 2 * width) && pixels.height >= min(301, 2 * height))
        }
        let small = try codec.decode(data, minimumSize: PixelSize(width: 50, height: 38))
        #expect(small.size == PixelSize(width: 101, height: 101))
        #expect(small.format == .rgba8Premultiplied)
        #expect(small.extent == PixelExtent(width: 401.0 / 4, height: 301.0 / 3))
    }

    /// If the extent were lost, the image would be stretched by the missing fraction of a pixel.
    @Test func aPartialLastPixelCountsByItsExtent() throws {
        let ramp = try PixelBuffer(width: 50, height: 1, format: .gray8) { rows, _ in
            for x in 0..<50 { rows[x] = UInt8(x * 5) }
        }
        let shrunk = try ramp.shrunk(by: ShrinkPlan(of: ramp.size, boxWidth: 4, boxHeight: 1))
        #expect(shrunk.extent == PixelExtent(width: 12.5, height: 1))
        let (direct, through) = (
            try ramp.resized(to: PixelSize(width: 5, height: 1)),
            try shrunk.converted(to: .rgba8Opaque).resized(to: PixelSize(width: 5, height: 1))
        )
        for x in 0..<5 {
            let (exact, made) = (direct.samples(x: x, y: 0)?[0] ?? 0, through.samples(x: x, y: 0)?[0] ?? 0)
            #expect(abs(exact - made) <= 2)
        }
    }

    /// Corruption is detected although the result does not have the size of the file.
    @Test func corruptionIsFoundWhileShrinking() throws {
        var broken = maker(401, 301, 2)
        broken.rows[broken.rows.count - 1203 * 5 - 5] = 9
        broken.rows.removeLast(2)
        #expect(throws: ImageCodecError.self) {
            try codec.decode(broken.file, minimumSize: PixelSize(width: 20, height: 20))
        }
    }

    @Test func invalidMinimumSizesAreIgnored() throws {
        let data = maker(40, 30, 2).file
        for size in [PixelSize(width: 0, height: 0), PixelSize(width: -3, height: 5)] {
            #expect(try codec.decode(data, minimumSize: size).size == PixelSize(width: 40, height: 30))
        }
    }
}
