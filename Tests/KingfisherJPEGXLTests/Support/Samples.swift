import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers

enum Samples {
    static func image(of format: PixelFormat, _ width: Int, _ height: Int) throws -> PixelBuffer {
        format.layout == .rgba
            ? try TestImages.gradients(width, height, depth: format.depth, alpha: !format.isOpaque)
            : try gray(width, height, depth: format.depth, alpha: !format.isOpaque)
    }

    /// Greyscale waves, with alpha that falls from left to right.
    static func gray(
        _ width: Int = 64, _ height: Int = 48, depth: PixelFormat.Depth = .eight, alpha: Bool = false
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: alpha ? .grayAlpha : .gray, depth: depth, alpha: .straight)
        return try TestImages.make(width, height, format) { x, y in
            let light = Double((x * 3 + y * 5) % 90) / 90
            return alpha ? [light, 1 - Double(x) / Double(width)] : [light]
        }
    }

    /// Noise that filters and tiles change, from a generator with a seed.
    static func noise(_ width: Int, _ height: Int) throws -> PixelBuffer {
        var random = SeededGenerator(seed: 5)
        return try TestImages.make(width, height, .rgba8Opaque) { x, y in
            (0..<3).map { _ in
                Double.random(in: 0...0.4, using: &random) + 0.3 + 0.3 * sin(Double(x + y) / 50)
            }
                + [1]
        }
    }
}

func decode(_ file: Data) throws -> PixelBuffer { try JPEGXLCodec().decode(file, minimumSize: nil) }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? { JPEGXLCodec().failure(of: file) }
