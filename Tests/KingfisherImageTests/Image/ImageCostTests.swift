import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

/// Behaviour I-5.
@Suite struct ImageCostTests {
    @Test("The cost of a still is its pixels times the bytes per pixel", .behaviours("I-5"))
    func costIsPixelsTimesBytesPerPixel() throws {
        let costs = ["gray8": 1, "gray16": 2, "grayalpha8": 2, "rgb8": 4, "rgba8": 4, "rgba16": 8]
        for (name, bytes) in costs {
            let image = try #require(Image(data: Fixtures.data(named: "PNG/\(name).png"), scale: 2))
            #expect(image.costInBytes == 33 * 21 * bytes)
        }
        #expect(Image().costInBytes == 0)
    }

    @Test("A frame object that repeats counts once", .behaviours("I-5"))
    func framesCountOnceForEachObject() throws {
        let options = ImageCreatingOptions(preloadAll: true)
        let data = try Fixtures.data(named: "Photos/cat.gif")
        #expect(try Image.decode(data, options: options).costInBytes == 160 * 120 * 4 * 8)
        #expect(try Image.decode(data).costInBytes == 160 * 120 * 4)
        let first = try #require(Image(data: data))
        let other = try #require(Image(data: data))
        let repeated = try #require(Image.animatedImage(with: [first, first, other, first], duration: 1))
        #expect(repeated.costInBytes == 160 * 120 * 4 * 2)
        #expect(repeated.kf.scaled(to: 2).costInBytes == repeated.costInBytes)
    }
}
