import Foundation

/// A colour of an image, and how much of the image has it.
public struct PaletteColor: Hashable, Sendable {
    /// The colour, opaque, in sRGB; each component is a multiple of 1/255.
    public let color: Color
    /// The part of the image, 0...1, by area; a pixel counts by its alpha. The parts of all colours of an
    /// image are 1 in total.
    public let share: Double

    /// Creates an entry.
    public init(color: Color, share: Double) {
        (self.color, self.share) = (color, share)
    }
}

extension KingfisherWrapper where Base == Image {
    /// The `count` most frequent colours of the image, sorted by their share of it, the largest first.
    ///
    /// Similar colours form a group, as in a GIF of few colours; an entry is the mean of a group. There are
    /// as many groups as `count` says, but at least five: a palette of one to four colours is the beginning
    /// of the palette of five. An image with fewer colours has a shorter palette. `count` is clamped to
    /// 0...256.
    ///
    /// Transparent pixels do not count, and others count by their alpha. An animation is represented by its
    /// first frame; an empty or transparent image has no colours. Of an image with more than 65,536 pixels,
    /// as many are examined, spread evenly: with probability 99 %, a share differs by less than 0.005 from
    /// the share of all pixels. Equal images have equal palettes. Works on the caller's thread; takes a few
    /// milliseconds for an image of any size.
    public func palette(count: Int = 5) -> [PaletteColor] {
        guard count > 0, let pixels = try? base.pixels?.sampled().converted(to: .rgba8Straight) else {
            return []
        }
        var histogram = ColorHistogram()
        for y in 0..<pixels.height { pixels.withPaletteRow(y) { histogram.addByAlpha($0) } }
        let groups = histogram.groups(upTo: min(max(count, 5), IndexedImage.maximumColors))
        return Array(PaletteColor.sorted(groups).prefix(count))
    }

    /// The most frequent colour of the image, the first of ``palette(count:)``; nil for an empty or
    /// transparent image.
    public var dominantColor: Color? { palette(count: 1).first?.color }
}

extension PaletteColor {
    fileprivate static func sorted(_ groups: [ColorHistogram.Group]) -> [PaletteColor] {
        // The means of two groups may be equal after rounding.
        let counts = Dictionary(groups.map { ($0.color, $0.count) }, uniquingKeysWith: +)
        let total = counts.values.reduce(0, +)
        let sorted = counts.sorted { one, other in
            if one.value != other.value { return one.value > other.value }
            return [one.key.x, one.key.y, one.key.z].lexicographicallyPrecedes(
                [other.key.x, other.key.y, other.key.z])
        }
        return sorted.map { color, count in
            let parts = SIMD4<Double>(color) / 255
            return PaletteColor(
                color: Color(red: parts.x, green: parts.y, blue: parts.z), share: count / total)
        }
    }
}

extension PixelBuffer {
    private static let maximumSamples = 1 << 16

    /// The image itself, or if it has many pixels, some of them in no order.
    ///
    /// The places are a sequence of low discrepancy, so that no pattern of the image hides from them: the
    /// multiples of powers of the plastic number (Roberts, "The Unreasonable Effectiveness of Quasirandom
    /// Sequences", 2018).
    fileprivate func sampled() throws(ImageCodecError) -> PixelBuffer {
        guard size.area > Self.maximumSamples else { return self }
        let bytes = format.bytesPerPixel
        let samples = PixelSize(width: 256, height: Self.maximumSamples / 256)
        return try PixelBuffer.decoding(samples, format: format) { rows, stride in
            var (x, y) = (0 as UInt64, 0 as UInt64)
            for number in 0..<Self.maximumSamples {
                // Fractions of 32 bits: 0.7548776662 and 0.5698402910.
                x = (x + 3_242_174_889) & 0xFFFF_FFFF
                y = (y + 2_447_445_414) & 0xFFFF_FFFF
                let (column, row) = (Int((x * UInt64(width)) >> 32), Int((y * UInt64(height)) >> 32))
                let target = rows + number / 256 * stride + number % 256 * bytes
                target.copyMemory(from: unsafeBase + row * bytesPerRow + column * bytes, byteCount: bytes)
            }
        }
    }
}
