import Foundation
import TestHelpers
import Testing

@testable import KingfisherImage

/// Behaviour I-16.
@Suite struct BlurTests {
    /// floor(s * 3 * sqrt(2 pi) / 4 + 0.5), rounded up to an odd number.
    @Test(arguments: [
        (-3.0, 5, 1), (0, 5, 1), (0.4, 5, 1), (0.5, 5, 2), (1.4, 5, 2), (1.5, 5, 3), (2, 5, 3), (2.4, 5, 3),
        (3, 7, 3), (4, 9, 3), (5, 9, 3), (6, 11, 3), (10, 19, 3), (100, 189, 3),
    ])
    func theBoxSizeFollowsTheRadius(radius: Double, size: Int, passes: Int) throws {
        let blur = try #require(BoxBlur(radius: radius))
        #expect(blur.reach * 2 + 1 == size)
        #expect(blur.passes == passes)
    }

    @Test func invalidRadiiGiveNoBlur() {
        #expect(BoxBlur(radius: .nan) == nil)
        #expect(BoxBlur(radius: .infinity) == nil)
        #expect(BoxBlur(radius: -.infinity) == nil)
        #expect(BoxBlur(radius: 1e300) != nil)
    }

    /// Radii that correspond to Pillow's box radius. 200 exceeds the image and overflows 16-bit sums.
    @Test(arguments: [(2.4, 2), (10, 9), (43, 40), (213, 200)])
    func threePassesMatchPillow(radius: Double, reach: Int) throws {
        let blur = try #require(BoxBlur(radius: radius))
        try #require(blur.reach == reach)
        let ours = try DrawingReference.image("source").blurred(blur)
        let reference = try DrawingReference.samples8("blur-\(reach).rgba")
        let difference = try #require(PixelDifference(ours.packed, reference))
        #expect(difference.psnr >= 50)
        #expect(difference.largest <= 2)
    }

    @Test(arguments: [2.0, 10, 100, 135, 136, 500]) func aUniformImageIsUnchanged(radius: Double) throws {
        let blur = try #require(BoxBlur(radius: radius))
        for level in [0, 1, 100, 254, 255] {
            let pixel = [level, 0, level, 255]
            let blurred = try PixelBuffer.flat(37, 23, .rgba8Opaque, pixel).blurred(blur)
            #expect(Set(Samples.all(blurred)) == [pixel])
        }
    }

    @Test func onePassIsTheMeanOfTheBox() throws {
        let blur = try #require(BoxBlur(radius: 0))
        let dot = try Samples.buffer(
            11, .gray8, (0..<121).map { $0 == 60 ? 255 : 0 })
        let blurred = try dot.blurred(blur)
        #expect(blurred.format == .rgba8Opaque)
        #expect(blurred.samples(x: 5, y: 5) == [10, 10, 10, 255])
        #expect(blurred.samples(x: 3, y: 7) == [10, 10, 10, 255])
        #expect(blurred.samples(x: 2, y: 5) == [0, 0, 0, 255])
    }

    @Test func theImageKeepsSizeAndScale() throws {
        let image = Image(pixels: try DrawingReference.image("source"), scale: 2)
        let blurred = image.kf.blurred(withRadius: 4)
        #expect(blurred.size == image.size)
        #expect(blurred.scale == 2)
        #expect(blurred !== image)
        #expect(image.kf.blurred(withRadius: .nan) === image)
        #expect(Image().kf.blurred(withRadius: 4).pixels == nil)
    }
}
