package import KingfisherCodecSupport

/// The part of an image that is shown (`clap`: ISO/IEC 14496-12, 12.1.4).
package enum CleanAperture {
    /// The clean aperture along one axis: `length` is centred at (whole - 1) / 2 + offset. All fields are 32
    /// bits, so no product overflows 64. Nil if it is malformed, has fractions of pixels or exceeds the
    /// image.
    package static func span(
        of whole: Int, _ lengthN: UInt32, _ lengthD: UInt32, _ offsetN: UInt32, _ offsetD: UInt32
    ) -> Range<Int>? {
        let (divisor, offset) = (Int(Int32(bitPattern: offsetD)), Int(Int32(bitPattern: offsetN)))
        guard lengthD > 0, divisor > 0, lengthN % lengthD == 0 else { return nil }
        let length = Int(lengthN / lengthD)
        // Twice the first pixel, times the divisor: (whole - length) + 2 offset.
        let start = (whole - length) * divisor + 2 * offset
        guard length > 0, start >= 0, start % (2 * divisor) == 0 else { return nil }
        let first = start / (2 * divisor)
        return first <= whole - length ? first..<first + length : nil
    }
}

/// Rotations and reflections in any order (`irot` and `imir`: ISO/IEC 23008-12, 6.5.10 and 6.5.12).
package struct ISOTurns: Equatable, Sendable {
    /// Anticlockwise quarter turns, 0...3, before the reflection.
    private var turns = 0
    /// The axis of the reflection: 0 exchanges top and bottom, 1 left and right.
    private var mirror: Int?

    package init() {}

    package mutating func rotate(_ quarters: Int) {
        // A rotation after a reflection equals the opposite rotation before it.
        turns = (turns + (mirror == nil ? quarters : -quarters)) & 3
    }

    package mutating func reflect(_ axis: Int) {
        guard let first = mirror else { return mirror = axis }
        mirror = nil
        // Both reflections are half a turn.
        if first != axis { turns = (turns + 2) & 3 }
    }

    /// In EXIF's numbers.
    package var orientation: Image.Orientation {
        let numbers =
            switch mirror {
            case nil: [1, 8, 3, 6]
            case 0: [4, 5, 2, 7]
            default: [2, 7, 4, 5]
            }
        return Image.Orientation(exif: numbers[turns]) ?? .up
    }
}
