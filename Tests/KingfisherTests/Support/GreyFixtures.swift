import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Processors and files whose effect is visible as the grey of an image.
enum GreyFixtures {
    /// Adds 100 to the grey, and counts its calls.
    static func lighter(_ identifier: String = "lighter") -> CountingProcessor {
        CountingProcessor(identifier) { $0.filled(with: ($0.grey ?? 0) + 100) }
    }

    /// Fails for images of one grey, and adds 100 to the others.
    static func refusing(_ grey: Int) -> CountingProcessor {
        CountingProcessor("refusing") { $0.grey == grey ? nil : $0.filled(with: ($0.grey ?? 0) + 100) }
    }

    /// Three frames of the greys 1, 2 and 3, played 5 times.
    static var file: Data { MotionCodec.file([1, 2, 3], milliseconds: [40, 250, 70], loopCount: 5) }
    static let durations = [0.04, 0.25, 0.07]
}

extension Image {
    /// The first sample of the top left pixel.
    var grey: Int? { pixels?.samples(x: 0, y: 0)?.first }

    /// An image of one grey with this image's size and scale.
    func filled(with grey: Int) -> Image? {
        guard let size = pixels?.size else { return nil }
        return Image.filled(size.width, size.height, with: grey, scale: scale)
    }

    static func filled(_ width: Int, _ height: Int, with grey: Int, scale: CGFloat = 1) -> Image? {
        let pixels = try? PixelBuffer(width: width, height: height, format: .rgba8Opaque) { rows, stride in
            for y in 0..<height {
                for x in 0..<width {
                    let sample = UInt8(clamping: grey)
                    let pixel = [sample, sample, sample, 255]
                    UnsafeMutableRawBufferPointer(rebasing: rows[(y * stride + x * 4)...])
                        .copyBytes(from: pixel)
                }
            }
        }
        return pixels.map { Image(pixels: $0, scale: scale) }
    }

    /// The grey of each frame decoded on demand, -1 if the frame cannot be decoded; nil for stills and
    /// preloaded animations.
    var greysOnDemand: [Int]? {
        kf.frameSource.map { source in
            (0..<source.frameCount).map { index in
                source.frame(at: index)?.samples(x: 0, y: 0)?.first ?? -1
            }
        }
    }

    /// The grey of each preloaded frame.
    var greysInMemory: [Int?]? { images?.map(\.grey) }
}
