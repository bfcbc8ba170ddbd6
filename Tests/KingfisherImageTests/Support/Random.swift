import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

extension PixelBuffer {
    /// Noise in any format; colours do not exceed alpha in premultiplied formats.
    static func noise(
        _ width: Int, _ height: Int, _ format: PixelFormat, using generator: inout SeededGenerator
    ) throws -> PixelBuffer {
        let channels = format.layout.channels
        let white = format.depth == .eight ? 255 : 65_535
        var samples: [Int] = []
        for _ in 0..<width * height {
            let alpha = format.isOpaque ? white : Int.random(in: 0...white, using: &generator)
            let top = format.alpha == .premultiplied ? alpha : white
            let colors = channels % 2 == 0 ? channels - 1 : channels
            samples += (0..<colors).map { _ in Int.random(in: 0...top, using: &generator) }
            if channels % 2 == 0 { samples.append(alpha) }
        }
        return try Samples.buffer(width, format, samples)
    }

    static func flat(_ width: Int, _ height: Int, _ format: PixelFormat, _ pixel: [Int]) throws -> PixelBuffer
    {
        try Samples.buffer(width, format, Array(repeating: pixel, count: width * height).flatMap { $0 })
    }

    /// The samples row after row, without padding.
    var packed: [Int] { allSamples }
}

/// The pixel of an image of one colour.
func only(_ image: Image) throws -> [Int] {
    let pixels = Set(Samples.all(try #require(image.pixels)))
    try #require(pixels.count == 1)
    return pixels.first ?? []
}
