import Foundation

/// A blurred version of an image in 6 to 166 characters, which a server sends with the image's URL.
///
/// The format is the same as on https://blurha.sh: one to nine cosine components along each side, each a
/// colour in linear light, in digits of base 83. It has no transparency and does not contain the aspect
/// ratio. Immutable and safe from any thread.
public struct BlurHash: Hashable, Sendable, CustomStringConvertible {
    /// The hash as text.
    public let string: String
    let columns: Int
    let rows: Int
    /// The average as 24-bit sRGB.
    let average: Int
    /// The largest amplitude, in steps of 1/166, minus one step.
    let maximum: Int
    /// The amplitudes of the other components, row by row: three digits of base 19.
    let amplitudes: [Int]

    /// Reads a hash.
    ///
    /// Throws `invalidLength`, `invalidCharacter`, or `invalidValue` if a field is out of its range.
    public init(_ string: String) throws(PlaceholderHashError) {
        guard (Self.shortest...Self.longest).contains(string.utf8.count) else { throw .invalidLength }
        var digits = Base83.Digits(string.utf8)
        let size = try digits.next(1)
        guard size < Self.mostComponents * Self.mostComponents else { throw .invalidValue }
        (columns, rows) = (size % Self.mostComponents + 1, size / Self.mostComponents + 1)
        guard string.utf8.count == Self.shortest + 2 * (columns * rows - 1) else { throw .invalidLength }
        maximum = try digits.next(1)
        average = try digits.next(4)
        guard average < 1 << 24 else { throw .invalidValue }
        var amplitudes: [Int] = []
        for _ in 1..<columns * rows {
            let amplitude = try digits.next(2)
            guard amplitude < Self.levels * Self.levels * Self.levels else { throw .invalidValue }
            amplitudes.append(amplitude)
        }
        self.amplitudes = amplitudes
        self.string = string
    }

    /// Fields within their ranges.
    init(columns: Int, rows: Int, maximum: Int, average: Int, amplitudes: [Int]) {
        let size = columns - 1 + (rows - 1) * Self.mostComponents
        var text = Base83.text(of: size, digits: 1) + Base83.text(of: maximum, digits: 1)
        text += Base83.text(of: average, digits: 4)
        for amplitude in amplitudes { text += Base83.text(of: amplitude, digits: 2) }
        string = text
        (self.columns, self.rows, self.maximum, self.average) = (columns, rows, maximum, average)
        self.amplitudes = amplitudes
    }

    /// The number of components along the width and the height, 1...9 each.
    public var components: (x: Int, y: Int) { (columns, rows) }

    /// The average colour of the image, opaque.
    public var averageColor: Color {
        func channel(_ shift: Int) -> Double { Double(average >> shift & 255) / 255 }
        return Color(red: channel(16), green: channel(8), blue: channel(0))
    }

    public var description: String { string }

    static let mostComponents = 9
    /// The number of levels of an amplitude, half of them negative.
    static let levels = 19
    private static let shortest = 6
    private static let longest = shortest + 2 * (mostComponents * mostComponents - 1)
}
