import Foundation
public import KingfisherImage

/// Samples of pixels, RGBA, row by row.
public struct PixelGrid: Equatable, Sendable {
    public let width: Int
    public let height: Int
    public private(set) var samples: [Int32]

    public init(_ pixels: PixelBuffer) throws {
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

    private init(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> ArraySlice<Int32>) {
        (self.width, self.height) = (width, height)
        samples = (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
    }

    public func pixel(x: Int, y: Int) -> ArraySlice<Int32> {
        samples[(y * width + x) * 4..<(y * width + x) * 4 + 4]
    }

    /// Turned 90 degrees anticlockwise: the last column becomes the first row.
    public var turnedLeft: PixelGrid {
        PixelGrid(height, width) { x, y in pixel(x: width - 1 - y, y: x) }
    }

    public var upsideDown: PixelGrid {
        PixelGrid(width, height) { x, y in pixel(x: x, y: height - 1 - y) }
    }

    public var leftRight: PixelGrid {
        PixelGrid(width, height) { x, y in pixel(x: width - 1 - x, y: y) }
    }

    public func cropped(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> PixelGrid {
        PixelGrid(width, height) { x, y in pixel(x: left + x, y: top + y) }
    }

    /// A channel as all four channels.
    public func channel(_ number: Int, dividedBy divisor: Int32 = 1) -> PixelGrid {
        PixelGrid(width, height) { x, y in
            ArraySlice(repeating: samples[(y * width + x) * 4 + number] / divisor, count: 4)
        }
    }

    /// Whether the pixels of the first `count` rows and columns are equal.
    public func begins(_ count: Int, as other: PixelGrid) -> Bool {
        (0..<count).allSatisfy { y in
            let (own, others) = (y * width * 4, y * other.width * 4)
            return samples[own..<own + count * 4] == other.samples[others..<others + count * 4]
        }
    }

    /// The largest difference of a sample; nil for different sizes. Alpha does not count if `ofColors`.
    public func distance(to other: PixelGrid, ofColors: Bool = false) -> Int? {
        guard width == other.width, height == other.height else { return nil }
        var largest: Int32 = 0
        for index in samples.indices where !ofColors || index & 3 != 3 {
            largest = max(largest, abs(samples[index] - other.samples[index]))
        }
        return Int(largest)
    }

    /// Peak signal to noise ratio over all samples, in decibels; 0 for different sizes.
    public func decibels(to other: PixelGrid, peak: Double = 255) -> Double {
        guard width == other.width, height == other.height else { return 0 }
        var squares = 0.0
        for index in samples.indices {
            let difference = Double(samples[index] - other.samples[index])
            squares += difference * difference
        }
        let mean = squares / Double(max(samples.count, 1))
        return mean == 0 ? 200 : 10 * log10(peak * peak / mean)
    }
}
