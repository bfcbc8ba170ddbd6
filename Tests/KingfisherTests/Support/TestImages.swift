import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

enum TestImages {
    /// 33 x 21 pixels.
    static var png: Data { get throws { try Fixtures.data(named: "PNG/rgba8.png") } }
    static let pngSize = CGSize(width: 33, height: 21)

    static var jpeg: Data { get throws { try Fixtures.data(named: "Photos/chelsea-eyes.jpg") } }

    static var gif: Data { get throws { try Fixtures.data(named: "GIF/delays.gif") } }

    /// An animation of 14 frames of 20 x 15 pixels with mixed blend and dispose modes.
    static var apng: Data { get throws { try Fixtures.data(named: "APNG/mixed.apng") } }

    static var garbage: Data { Data([1, 2, 3]) }

    static func image(_ data: Data, scale: CGFloat = 1) throws -> Image {
        try #require(Image(data: data, scale: scale))
    }

    /// A new image at each call.
    static var image: Image { get throws { try image(png) } }

    static var animation: Image {
        get throws {
            try #require(KingfisherWrapper<Image>.image(data: try gif, options: ImageCreatingOptions()))
        }
    }
}

func samePixels(_ one: Image?, _ other: Image?) -> Bool {
    guard let one = one?.pixels, let other = other?.pixels, one.format == other.format,
        one.width == other.width, one.height == other.height
    else { return false }
    return (0..<one.height).allSatisfy { y in
        (0..<one.width).allSatisfy { x in one.samples(x: x, y: y) == other.samples(x: x, y: y) }
    }
}
