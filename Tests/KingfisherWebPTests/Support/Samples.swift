import Foundation
import Kingfisher
import TestHelpers

/// Images as RGBA samples, not premultiplied, without row padding.
enum Samples {
    /// Reproducible pseudorandom samples.
    static func noise(_ count: Int, seed: UInt32 = 1) -> [UInt8] {
        var state = seed
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(state >> 24)
        }
    }

    /// Colour gradients; `alpha` returns the alpha of each pixel.
    static func slope(
        _ width: Int, _ height: Int, alpha: (_ x: Int, _ y: Int) -> Int = { _, _ in 255 }
    ) -> [UInt8] {
        var samples: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let (red, green) = (x * 255 / width, y * 255 / height)
                samples += [red, green, (red + green) / 2, alpha(x, y)].map { UInt8($0) }
            }
        }
        return samples
    }

    static func plain(_ rgba: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
        (0..<width * height).flatMap { _ in rgba }
    }

    /// Red, green and blue, 24 x 16 pixels each.
    static let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]].map { plain($0, 24, 16) }

    /// The mean difference of the samples of two images.
    static func distance(_ one: [UInt8], _ other: [UInt8]) -> Double {
        let sum = zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return one.count == other.count ? Double(sum) / Double(one.count) : .infinity
    }
}

extension PixelBuffer {
    /// Straight samples of 8-bit RGBA.
    var straightSamples: [UInt8] {
        get throws {
            let straight = try converted(to: format.isOpaque ? .rgba8Opaque : .rgba8Straight)
            return straight.packedBytes
        }
    }
}

/// Frames that a closure creates.
struct TestFrames: ImageFrameSource {
    let data: Data? = nil
    let durations: [TimeInterval]
    var loopCount = 0
    let make: @Sendable (_ index: Int) -> PixelBuffer?

    init(
        _ durations: [TimeInterval], loopCount: Int = 0,
        make: @escaping @Sendable (_ index: Int) -> PixelBuffer?
    ) {
        (self.durations, self.loopCount, self.make) = (durations, loopCount, make)
    }

    /// 24 x 16 frames of these samples, a tenth of a second each.
    init(_ frames: [[UInt8]], width: Int = 24) {
        self.init(Array(repeating: 0.1, count: frames.count)) { try? .make(frames[$0], width: width) }
    }

    var frameCount: Int { durations.count }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? { make(index) }

    func duration(at index: Int) -> TimeInterval { durations[index] }

    func copy() -> TestFrames { self }
}
