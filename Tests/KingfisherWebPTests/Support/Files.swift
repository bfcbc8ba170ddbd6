import Foundation
import KingfisherTestSupport
import KingfisherWebP
import Testing

/// Files that libwebp writes.
enum Files {
    /// 40 x 30 pixels, partially transparent.
    static let samples = Samples.slope(40, 30) { x, y in (x / 10 + y / 10) % 2 == 0 ? 255 : 90 }

    static var lossless: Data { get throws { try Libwebp.still(samples, width: 40) } }
    static var lossy: Data { get throws { try Libwebp.still(samples, width: 40, isLossless: false) } }

    /// Red, green and blue, shown for 100, 200 and 300 ms, with a loop count of four.
    static var animation: Data { get throws { try animation(isLossless: true) } }
    static var lossyAnimation: Data { get throws { try animation(isLossless: false) } }

    static var png: Data { get throws { try Fixtures.data(named: "PNG/rgba8.png") } }
    static var gif: Data { get throws { try Fixtures.data(named: "GIF/delays.gif") } }

    private static func animation(isLossless: Bool) throws -> Data {
        try Libwebp.animated(
            Samples.colors, width: 24, delays: [100, 200, 300], loopCount: 4, isLossless: isLossless)
    }
}

extension KingfisherParsedOptionsInfo {
    static let none = KingfisherParsedOptionsInfo(nil)
}

extension ImageProcessor {
    func image(of data: Data, _ options: KingfisherOptionsInfo = []) -> Image? {
        process(item: .data(data), options: KingfisherParsedOptionsInfo(options))
    }
}
