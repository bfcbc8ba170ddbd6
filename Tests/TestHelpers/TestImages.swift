public import Foundation
public import KingfisherImage
import KingfisherTestSupport

extension PixelBuffer {
    /// An image of 8- or 16-bit samples in reading order.
    public static func make(
        _ samples: [Int], width: Int, format: PixelFormat = .rgba8Straight
    ) throws -> PixelBuffer {
        let perRow = width * format.layout.channels
        return try PixelBuffer(width: width, height: samples.count / perRow, format: format) {
            rows, bytesPerRow in
            for (index, sample) in samples.enumerated() {
                let (row, column) = (index / perRow * bytesPerRow, index % perRow)
                switch format.depth {
                case .eight: rows.storeBytes(of: UInt8(sample), toByteOffset: row + column, as: UInt8.self)
                case .sixteen:
                    rows.storeBytes(of: UInt16(sample), toByteOffset: row + column * 2, as: UInt16.self)
                }
            }
        }
    }

    public static func make(
        _ samples: [UInt8], width: Int, format: PixelFormat = .rgba8Straight
    ) throws -> PixelBuffer {
        try make(samples.map { Int($0) }, width: width, format: format)
    }

    /// All samples in reading order.
    public var allSamples: [Int] {
        (0..<height).flatMap { y in (0..<width).flatMap { x in samples(x: x, y: y) ?? [] } }
    }

    /// The bytes of the pixels without padding of rows.
    public var packedBytes: [UInt8] {
        withUnsafeBytes { bytes in
            (0..<height).flatMap { y in
                Array(bytes[y * bytesPerRow..<y * bytesPerRow + width * format.bytesPerPixel])
            }
        }
    }
}

/// Images for tests of codecs.
public enum TestImages {
    /// Gradients that differ along both axes and per channel, so that every turn changes them.
    public static func gradients(
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
    public static func smooth(
        _ width: Int, _ height: Int, depth: PixelFormat.Depth = .eight, isGray: Bool = false,
        alpha: Bool = false
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: alpha ? .straight : .opaque)
        return try make(width, height, format) { x, y in
            let red = 0.5 + 0.4 * sin(Double(x) / 20)
            guard !isGray else { return [red, red, red, 1] }
            return [
                red, 0.5 + 0.4 * sin(Double(y) / 25), 0.5 + 0.4 * cos(Double(x + y) / 30),
                alpha ? 0.6 + 0.4 * sin(Double(x - y) / 40) : 1,
            ]
        }
    }

    /// A square of one opaque colour.
    public static func flat(_ color: [Double], _ side: Int = 64) throws -> PixelBuffer {
        try make(side, side, .rgba8Opaque) { _, _ in color + [1] }
    }

    /// A fixture of 48 by 32 pixels in RGBA without a header, by Tests/Fixtures/generate/color.py.
    public static func colors(named name: String) throws -> PixelBuffer {
        try .make([UInt8](Fixtures.data(named: "Color/\(name).rgba")), width: 48)
    }

    /// An image of colours, which have a value from 0 to 1 for each channel of the format.
    public static func make(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ color: (_ x: Int, _ y: Int) -> [Double]
    ) throws -> PixelBuffer {
        let white = format.depth == .eight ? 255.0 : 65_535
        let samples: [Int] = (0..<height).flatMap { y in
            (0..<width).flatMap { x in color(x, y).map { Int($0 * white) } }
        }
        return try .make(samples, width: width, format: format)
    }
}

/// Frames of a list, for encoders of animations.
public struct ListedFrames: ImageFrameSource {
    public let frames: [PixelBuffer]
    public let durations: [Double]
    public let loopCount: Int

    public init(frames: [PixelBuffer], durations: [Double], loopCount: Int) {
        (self.frames, self.durations, self.loopCount) = (frames, durations, loopCount)
    }

    public var data: Data? { nil }
    public var frameCount: Int { frames.count }
    public func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        frames.indices.contains(index) ? frames[index] : nil
    }
    public func duration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : 0
    }
    public func copy() -> ListedFrames { self }
}
