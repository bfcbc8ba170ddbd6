import Foundation
import KingfisherAVIF
import KingfisherCodecSupport

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

    private static func make(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ color: (Int, Int) -> [Double]
    ) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: height, format: format) { rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    for (channel, value) in color(x, y).enumerated() {
                        let offset = y * bytesPerRow + (x * 4 + channel) * format.depth.rawValue / 8
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

/// Pixels as rows of samples, RGBA.
struct Grid: Equatable {
    var rows: [[[Int]]]

    init(rows: [[[Int]]]) { self.rows = rows }

    init(_ pixels: PixelBuffer) throws {
        let alpha: PixelFormat.Alpha = pixels.format.isOpaque ? .opaque : .straight
        let pixels = try pixels.converted(
            to: PixelFormat(layout: .rgba, depth: pixels.format.depth, alpha: alpha))
        rows = (0..<pixels.height).map { y in
            (0..<pixels.width).map { x in pixels.samples(x: x, y: y) ?? [] }
        }
    }

    /// Turned 90 degrees anticlockwise: the last column becomes the first row.
    var turnedLeft: Grid {
        let width = rows.first?.count ?? 0
        return Grid(rows: (0..<width).map { row in rows.map { $0[width - 1 - row] } })
    }

    var upsideDown: Grid { Grid(rows: rows.reversed()) }
    var leftRight: Grid { Grid(rows: rows.map { $0.reversed() }) }

    func cropped(_ left: Int, _ top: Int, _ width: Int, _ height: Int) -> Grid {
        Grid(rows: rows[top..<top + height].map { Array($0[left..<left + width]) })
    }

    /// The largest difference of a sample; nil for different sizes.
    func distance(to other: Grid) -> Int? {
        guard rows.count == other.rows.count, rows.first?.count == other.rows.first?.count else { return nil }
        let own = rows.joined().joined()
        let others = other.rows.joined().joined()
        return zip(own, others).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    /// Peak signal to noise ratio over all samples, in decibels.
    func decibels(to other: Grid, peak: Double = 255) -> Double {
        let pairs = zip(rows.joined().joined(), other.rows.joined().joined())
        let squares = pairs.map { Double(($0.0 - $0.1) * ($0.0 - $0.1)) }
        let mean = squares.reduce(0, +) / Double(max(squares.count, 1))
        return mean == 0 ? 200 : 10 * log10(peak * peak / mean)
    }
}

extension Data {
    /// Replaces the bytes from `offset` after the first occurrence of `type`.
    func patched(_ type: String, at offset: Int, with bytes: [UInt8]) throws -> Data {
        guard let found = firstRange(of: Data(type.utf8)) else { throw CocoaError(.fileReadCorruptFile) }
        var copy = self
        let start = found.upperBound + offset
        copy.replaceSubrange(start..<start + bytes.count, with: bytes)
        return copy
    }
}

func decode(_ file: Data) throws -> PixelBuffer { try AVIFCodec().decode(file, minimumSize: nil) }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? {
    do throws(ImageCodecError) {
        _ = try AVIFCodec().decode(file, minimumSize: nil)
        return nil
    } catch {
        return error
    }
}
