import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import KingfisherTestSupport
import TestHelpers

enum Samples {
    /// Gradients that differ along both axes and per channel, so that every turn changes them.
    static func image(
        _ width: Int = 64, _ height: Int = 48, depth: PixelFormat.Depth = .eight, alpha: Bool = false,
        phase: Int = 0
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: alpha ? .straight : .opaque)
        return try make(width, height, format) { x, y in
            [
                Double(x) / Double(width), Double(y) / Double(height),
                Double((x * 2 + y + phase * 9) % 40) / 40, alpha ? Double(x + y) / Double(width + height) : 1,
            ]
        }
    }

    /// Waves that are longer than the filters of chroma and of scaling.
    static func smooth(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try make(width, height, .rgba8Opaque) { x, y in
            [
                0.5 + 0.4 * sin(Double(x) / 20), 0.5 + 0.4 * sin(Double(y) / 25),
                0.5 + 0.4 * cos(Double(x + y) / 30), 1,
            ]
        }
    }

    static func flat(_ color: [Double], _ side: Int = 64) throws -> PixelBuffer {
        try make(side, side, .rgba8Opaque) { _, _ in color + [1] }
    }

    static func image(of format: PixelFormat, _ width: Int, _ height: Int) throws -> PixelBuffer {
        format.layout == .rgba
            ? try image(width, height, depth: format.depth, alpha: !format.isOpaque)
            : try gray(width, height, depth: format.depth, alpha: !format.isOpaque)
    }

    /// Greyscale waves, with alpha that falls from left to right.
    static func gray(
        _ width: Int = 64, _ height: Int = 48, depth: PixelFormat.Depth = .eight, alpha: Bool = false
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: alpha ? .grayAlpha : .gray, depth: depth, alpha: .straight)
        return try make(width, height, format) { x, y in
            let light = Double((x * 3 + y * 5) % 90) / 90
            return alpha ? [light, 1 - Double(x) / Double(width)] : [light]
        }
    }

    /// Noise that filters and tiles change, from a generator with a seed.
    static func noise(_ width: Int, _ height: Int) throws -> PixelBuffer {
        var random = SeededGenerator(seed: 5)
        return try make(width, height, .rgba8Opaque) { x, y in
            (0..<3).map { _ in
                Double.random(in: 0...0.4, using: &random) + 0.3 + 0.3 * sin(Double(x + y) / 50)
            }
                + [1]
        }
    }

    private static func make(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ color: (Int, Int) -> [Double]
    ) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: height, format: format) { rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    for (channel, value) in color(x, y).enumerated() {
                        let offset =
                            y * bytesPerRow + x * format.bytesPerPixel + channel * format.depth.rawValue / 8
                        if format.depth == .eight {
                            rows[offset] = UInt8(value * 255)
                        } else {
                            rows.storeBytes(of: UInt16(value * 65_535), toByteOffset: offset, as: UInt16.self)
                        }
                    }
                }
            }
        }
    }
}

/// Samples of pixels, RGBA, row by row.
struct Grid: Equatable {
    let width: Int
    let height: Int
    private(set) var samples: [Int32]

    init(_ pixels: PixelBuffer) throws {
        let alpha: PixelFormat.Alpha = pixels.format.isOpaque ? .opaque : .straight
        let pixels = try pixels.converted(
            to: PixelFormat(layout: .rgba, depth: pixels.format.depth, alpha: alpha))
        (width, height) = (pixels.width, pixels.height)
        samples = []
        samples.reserveCapacity(4 * width * height)
        for y in 0..<height {
            pixels.withUnsafeBytes { bytes in
                let row = UnsafeRawBufferPointer(rebasing: bytes[(y * pixels.bytesPerRow)...])
                if pixels.format.depth == .eight {
                    samples += row.prefix(4 * pixels.width).map(Int32.init)
                } else {
                    samples += row.bindMemory(to: UInt16.self).prefix(4 * pixels.width).map(Int32.init)
                }
            }
        }
    }

    func pixel(x: Int, y: Int) -> ArraySlice<Int32> {
        samples[(y * width + x) * 4..<(y * width + x) * 4 + 4]
    }

    /// Whether the pixels of the first `count` rows and columns are equal.
    func begins(_ count: Int, as other: Grid) -> Bool {
        (0..<count).allSatisfy { y in
            let (own, others) = (y * width * 4, y * other.width * 4)
            return samples[own..<own + count * 4] == other.samples[others..<others + count * 4]
        }
    }

    /// The largest difference of a sample; nil for different sizes. Alpha does not count if `ofColors`.
    func distance(to other: Grid, ofColors: Bool = false) -> Int? {
        guard width == other.width, height == other.height else { return nil }
        var largest: Int32 = 0
        for index in samples.indices where !ofColors || index & 3 != 3 {
            largest = max(largest, abs(samples[index] - other.samples[index]))
        }
        return Int(largest)
    }

    /// Peak signal to noise ratio over all samples, in decibels.
    func decibels(to other: Grid, peak: Double = 255) -> Double {
        var sum = 0.0
        for index in samples.indices {
            let difference = Double(samples[index] - other.samples[index])
            sum += difference * difference
        }
        let mean = sum / Double(max(samples.count, 1))
        return mean == 0 ? 200 : 10 * log10(peak * peak / mean)
    }
}

struct ListedFrames: ImageFrameSource {
    let frames: [PixelBuffer]
    let durations: [Double]
    let loopCount: Int

    var data: Data? { nil }
    var frameCount: Int { frames.count }
    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        frames.indices.contains(index) ? frames[index] : nil
    }
    func duration(at index: Int) -> TimeInterval { durations.indices.contains(index) ? durations[index] : 0 }
    func copy() -> ListedFrames { self }
}

func decode(_ file: Data) throws -> PixelBuffer { try JPEGXLCodec().decode(file, minimumSize: nil) }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? {
    do throws(ImageCodecError) {
        _ = try JPEGXLCodec().decode(file, minimumSize: nil)
        return nil
    } catch {
        return error
    }
}
