package import Foundation

/// The binary parameters of a gain map (ISO 21496-1:2025, annex C).
///
/// Two versions, flags, and fractions: of the headrooms, and for one or three channels of the gains, gamma
/// and the offsets. libultrahdr writes drafts of the standard in which a flag says that one denominator is
/// common to all fractions; they are read, and written as the standard has them.
package struct GainMapParameters: Hashable, Sendable {
    struct Fraction: Hashable {
        /// Of 32 bits, with a sign or without.
        let numerator: Int64
        let denominator: UInt32

        var value: Double { Double(numerator) / Double(denominator) }
    }

    struct Channel: Hashable {
        var minimum, maximum, gamma, baseOffset, alternateOffset: Fraction
    }

    /// The flags without the common denominator.
    private var flags: UInt8
    private let baseHeadroom, alternateHeadroom: Fraction
    private let channels: [Channel]

    private static let multichannel: UInt8 = 0x80
    private static let baseColors: UInt8 = 0x40
    private static let commonDenominator: UInt8 = 0x08

    /// Whether gains are of the base image's primaries, not of the brighter image's.
    package internal(set) var usesBaseColors: Bool {
        get { flags & Self.baseColors != 0 }
        set { flags = newValue ? flags | Self.baseColors : flags & ~Self.baseColors }
    }

    var capacity: Double { max(baseHeadroom.value, alternateHeadroom.value) }

    /// Nil if the bytes are too few, of another version, or without meaning.
    package init?(_ bytes: ByteReader) {
        guard bytes.uint16(at: 0, bigEndian: true) == 0, let flags = bytes.uint8(at: 4) else { return nil }
        self.flags = UInt8(flags) & ~Self.commonDenominator
        var fractions = Fractions(bytes, hasCommonDenominator: UInt8(flags) & Self.commonDenominator != 0)
        guard let base = fractions.next(), let alternate = fractions.next() else { return nil }
        (baseHeadroom, alternateHeadroom) = (base, alternate)
        var channels: [Channel] = []
        for _ in 0..<(UInt8(flags) & Self.multichannel == 0 ? 1 : 3) {
            guard let minimum = fractions.next(signed: true), let maximum = fractions.next(signed: true),
                let gamma = fractions.next(), let baseOffset = fractions.next(signed: true),
                let alternateOffset = fractions.next(signed: true), minimum.value <= maximum.value,
                gamma.numerator > 0
            else { return nil }
            channels.append(
                Channel(
                    minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: baseOffset,
                    alternateOffset: alternateOffset))
        }
        self.channels = channels
    }

    /// The parameters of XMP as fractions of millionths; nil if one is too large.
    init?(_ attributes: GainMapAttributes) {
        func fractions(_ name: GainMapAttributes.Name) -> [Fraction]? {
            let values = attributes.numbers(name).map { ($0 * 1_000_000).rounded() }
            guard values.allSatisfy({ abs($0) <= Double(Int32.max) }) else { return nil }
            return values.map { Fraction(numerator: Int64($0), denominator: 1_000_000) }
        }
        guard let minima = fractions(.gainMapMin), let maxima = fractions(.gainMapMax),
            let gammas = fractions(.gamma), let low = fractions(.hdrCapacityMin)?.first,
            let high = fractions(.hdrCapacityMax)?.first, low.numerator >= 0,
            let darker = fractions(.offsetSDR), let brighter = fractions(.offsetHDR),
            gammas.allSatisfy({ $0.numerator > 0 })
        else { return nil }
        let isBrighter = attributes.isBaseHDR
        (baseHeadroom, alternateHeadroom) = isBrighter ? (high, low) : (low, high)
        let count = [minima, maxima, gammas, darker, brighter].contains { $0.count == 3 } ? 3 : 1
        flags = Self.baseColors | (count == 3 ? Self.multichannel : 0)
        channels = (0..<count).map { index in
            func of(_ values: [Fraction]) -> Fraction { values[min(index, values.count - 1)] }
            return Channel(
                minimum: of(minima), maximum: of(maxima), gamma: of(gammas),
                baseOffset: of(isBrighter ? brighter : darker),
                alternateOffset: of(isBrighter ? darker : brighter))
        }
    }

    /// The versions, which are all that the base image of a JPEG has.
    static let versions = Data(count: 4)

    /// As the standard writes them.
    package var bytes: Data {
        var bytes = Self.versions + [flags]
        func put(_ fraction: Fraction) {
            bytes += UInt32(truncatingIfNeeded: fraction.numerator).bigEndianBytes
            bytes += fraction.denominator.bigEndianBytes
        }
        put(baseHeadroom)
        put(alternateHeadroom)
        for channel in channels {
            put(channel.minimum)
            put(channel.maximum)
            put(channel.gamma)
            put(channel.baseOffset)
            put(channel.alternateOffset)
        }
        return bytes
    }
}

private struct Fractions {
    private let bytes: ByteReader
    private var offset = 5
    private var common: Int?

    init(_ bytes: ByteReader, hasCommonDenominator: Bool) {
        self.bytes = bytes
        guard hasCommonDenominator else { return }
        common = bytes.uint32(at: offset, bigEndian: true)
        offset += 4
    }

    /// Nil at the end, and for a denominator of 0.
    mutating func next(signed: Bool = false) -> GainMapParameters.Fraction? {
        guard let bits = bytes.uint32(at: offset, bigEndian: true),
            let denominator = common ?? bytes.uint32(at: offset + 4, bigEndian: true), denominator > 0
        else { return nil }
        offset += common == nil ? 8 : 4
        let number = signed ? Int64(Int32(truncatingIfNeeded: bits)) : Int64(bits)
        return GainMapParameters.Fraction(numerator: number, denominator: UInt32(denominator))
    }
}
