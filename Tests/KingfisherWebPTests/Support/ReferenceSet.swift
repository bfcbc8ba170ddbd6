import Foundation
import KingfisherTestSupport
import KingfisherWebP

/// The files of `Fixtures/WebP` and the results of libwebp's own tools.
enum ReferenceSet {
    static let all = Fixtures.names(in: "WebP", withExtension: "webp")
    static let animations = all.filter { $0.hasPrefix("WebP/anim-") }
    static let stills = all.filter { !$0.hasPrefix("WebP/anim-") }
    /// Files whose stored pixels are shown unchanged: they have neither a profile nor an orientation.
    static let plainStills = stills.filter { !$0.contains("/icc-adobe") && orientation(of: $0) == 1 }

    /// The values that WebPAnimDecoder reports for an animation.
    struct Timing: Decodable {
        let width: Int
        let height: Int
        let loops: Int
        let milliseconds: [Int]
    }

    static func timings() throws -> [String: Timing] {
        try JSONDecoder().decode(
            [String: Timing].self, from: Fixtures.data(named: "WebP/animations.json"))
    }

    /// The EXIF orientation in the name of the file, or 1.
    static func orientation(of name: String) -> Int {
        name.split(separator: "orientation-").dropFirst().first.flatMap { $0.first?.wholeNumberValue } ?? 1
    }

    /// Straight RGBA rows of dwebp, or of all frames of WebPAnimDecoder.
    static func pixels(of name: String) throws -> [UInt8] {
        [UInt8](try Fixtures.data(named: name + ".rgba"))
    }
}

/// RGBA rows without padding.
struct Raster: Equatable {
    var width: Int
    var height: Int
    var bytes: [UInt8]

    init(width: Int, height: Int, bytes: [UInt8]) {
        (self.width, self.height, self.bytes) = (width, height, bytes)
    }

    /// The rows of an 8-bit RGBA image, with alpha unchanged.
    init(_ pixels: PixelBuffer) {
        precondition(pixels.format.layout == .rgba && pixels.bitsPerComponent == 8)
        let row = pixels.width * 4
        let bytes = [UInt8](unsafeUninitializedCapacity: row * pixels.height) { target, count in
            count = row * pixels.height
            pixels.withUnsafeBytes { source in
                guard let from = source.baseAddress, let to = target.baseAddress else { return }
                for y in 0..<pixels.height { memcpy(to + y * row, from + y * pixels.bytesPerRow, row) }
            }
        }
        self.init(width: pixels.width, height: pixels.height, bytes: bytes)
    }

    func offset(_ x: Int, _ y: Int) -> Int { (y * width + x) * 4 }

    /// Applies an EXIF orientation of 1...8 (EXIF 2.32, table of tag 0x0112), which states the position of
    /// the stored row 0 and column 0.
    func upright(fromEXIF orientation: Int) -> Raster {
        let swaps = orientation > 4
        var turned = Raster(
            width: swaps ? height : width, height: swaps ? width : height, bytes: bytes)
        for y in 0..<height {
            for x in 0..<width {
                let (right, bottom) = (width - 1 - x, height - 1 - y)
                let (column, row) =
                    switch orientation {
                    case 2: (right, y)
                    case 3: (right, bottom)
                    case 4: (x, bottom)
                    case 5: (y, x)
                    case 6: (bottom, x)
                    case 7: (bottom, right)
                    case 8: (y, right)
                    default: (x, y)
                    }
                let (from, to) = (offset(x, y), turned.offset(column, row))
                turned.bytes.replaceSubrange(to..<to + 4, with: bytes[from..<from + 4])
            }
        }
        return turned
    }

    /// Each pixel is the mean of the area that it covers, in premultiplied colours.
    func averaged(to size: PixelSize) -> Raster {
        var result = Raster(
            width: size.width, height: size.height, bytes: [UInt8](repeating: 0, count: size.area * 4))
        let (columns, rows) = (Self.spans(of: width, in: size.width), Self.spans(of: height, in: size.height))
        for y in 0..<size.height {
            for x in 0..<size.width {
                var (sums, weights) = ((0.0, 0.0, 0.0, 0.0), 0.0)
                for (row, vertical) in rows[y] {
                    for (column, horizontal) in columns[x] {
                        let at = offset(column, row)
                        let weight = vertical * horizontal
                        let alpha = Double(bytes[at + 3]) / 255 * weight
                        sums.0 += Double(bytes[at]) * alpha
                        sums.1 += Double(bytes[at + 1]) * alpha
                        sums.2 += Double(bytes[at + 2]) * alpha
                        sums.3 += 255 * alpha
                        weights += weight
                    }
                }
                let at = result.offset(x, y)
                for (channel, sum) in [sums.0, sums.1, sums.2, sums.3].enumerated() {
                    result.bytes[at + channel] = UInt8(min((sum / weights).rounded(), 255))
                }
            }
        }
        return result
    }

    /// For each of `count` equal parts, the samples of `length` that it covers and their weights.
    private static func spans(of length: Int, in count: Int) -> [[(Int, Double)]] {
        (0..<count).map { part in
            let start = Double(part * length) / Double(count)
            let end = Double((part + 1) * length) / Double(count)
            return (Int(start)..<max(Int(end.rounded(.up)), Int(start) + 1)).map { sample in
                (sample, min(end, Double(sample + 1)) - max(start, Double(sample)))
            }
        }
    }

    var premultiplied: Raster {
        var copy = self
        for index in bytes.indices where index % 4 != 3 {
            copy.bytes[index] = UInt8((Int(bytes[index]) * Int(bytes[index | 3]) + 127) / 255)
        }
        return copy
    }

    /// The largest and the mean absolute difference of the samples.
    func difference(from other: Raster) -> (largest: Int, mean: Double) {
        let differences = zip(bytes, other.bytes).map { abs(Int($0) - Int($1)) }
        return (differences.max() ?? 0, Double(differences.reduce(0, +)) / Double(max(differences.count, 1)))
    }
}
