import Foundation

/// A colour space by numbers instead of a profile: primaries, white, and the curve from samples to light.
///
/// AVIF's `nclx`, PNG's cICP, gAMA and cHRM, and the encoded profiles of JPEG XL are such descriptions.
public struct ColorEncoding: Hashable, Sendable {
    /// The curve from a sample in 0...1 to linear light, where 1 is the display's white.
    public enum Curve: Hashable, Sendable {
        /// The curve of IEC 61966-2-1.
        case sRGB
        /// A power with this exponent, in 0.1...10; 1 is linear light.
        case gamma(Double)
        /// Powers with an exponent for each channel; such a curve has no greyscale.
        case gammas(red: Double, green: Double, blue: Double)
        /// PQ of ITU-R BT.2100-2, tone-mapped to SDR: 203 nits (BT.2408-7) become 0.52, 1,000 nits white.
        case pq
        /// HLG of ITU-R BT.2100-2 for a display of 1,000 nits, tone-mapped as `pq`.
        case hlg
    }

    /// The primaries and the white.
    public let chromaticities: Chromaticities
    /// The curve of all three channels.
    public let curve: Curve

    /// A description from an untrusted file; it need not make sense.
    public init(chromaticities: Chromaticities, curve: Curve) {
        self.chromaticities = chromaticities
        self.curve = curve
    }

    /// Code points of ITU-T H.273, tables 2 and 3; nil if one is unknown or unspecified.
    ///
    /// The curves of BT.709, BT.601 and BT.2020 count as the curve of sRGB, as in browsers and other viewers.
    public init?(primaries: Int, transfer: Int) {
        guard let chromaticities = Chromaticities(codePoint: primaries) else { return nil }
        switch transfer {
        case 1, 6, 13, 14, 15: curve = .sRGB
        case 4: curve = .gamma(2.2)
        case 5: curve = .gamma(2.8)
        case 8: curve = .gamma(1)
        case 16: curve = .pq
        case 18: curve = .hlg
        default: return nil
        }
        self.chromaticities = chromaticities
    }

    /// The conversion of `samples` to sRGB. For greyscale only the curve counts.
    ///
    /// Returns nil if none is needed, and for numbers without a meaning: an exponent outside of its range,
    /// primaries that are nearly collinear, a white outside of their triangle.
    public func transform(of samples: ICCSamples) -> ICCTransform? {
        guard self != ColorEncoding(chromaticities: .sRGB, curve: .sRGB) else { return nil }
        return profile(isGray: samples.isGray)?.withUnsafeBytes {
            ICCTransform.toSRGB(from: ByteReader($0), of: samples)
        }
    }
}

// Profiles have the mechanism for every conversion: lcms2, its cache, all kinds of samples.
extension ColorEncoding {
    /// A matrix or monochrome profile (ICC.1:2022, 8.3.3 and 8.3.4).
    func profile(isGray: Bool) -> Data? {
        let curves = curveTags
        if isGray {
            guard curves.count == 1, let curve = curves.first.flatMap(\.self) else { return nil }
            return Self.assemble("GRAY", [("wtpt", Self.xyz(Chromaticities.d50)), ("kTRC", curve)])
        }
        guard let columns = chromaticities.columnsForD50, columns.joined().allSatisfy({ abs($0) < 8 })
        else { return nil }
        var tags = zip(["rXYZ", "gXYZ", "bXYZ"], columns.map(Self.xyz)).map { (name: $0, content: $1) }
        for (index, name) in ["rTRC", "gTRC", "bTRC"].enumerated() {
            guard let curve = curves[index % curves.count] else { return nil }
            tags.append((name, curve))
        }
        return Self.assemble("RGB ", tags)
    }

    /// One tag for all channels, or three; nil for an exponent outside of its range.
    private var curveTags: [Data?] {
        switch curve {
        case .sRGB: [Self.sRGBTag]
        case .gamma(let exponent): [Self.gammaTag(exponent)]
        case .gammas(let red, let green, let blue): [red, green, blue].map(Self.gammaTag)
        case .pq: [Self.pqTag]
        case .hlg: [Self.hlgTag]
        }
    }

    private static func gammaTag(_ exponent: Double) -> Data? {
        (0.1...10).contains(exponent) ? parametric(0, [exponent]) : nil
    }

    private static let sRGBTag = parametric(3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    private static let pqTag = table { HDRCurve.pq($0) }
    private static let hlgTag = table { HDRCurve.hlg($0) }

    private static func parametric(_ kind: UInt16, _ values: [Double]) -> Data {
        var tag = Data("para\0\0\0\0".utf8)
        tag += kind.bigEndianBytes + [0, 0]
        for value in values { tag += fixed(value) }
        return tag
    }

    private static func table(_ light: (Double) -> Double) -> Data {
        let count = 4_096
        var tag = Data("curv\0\0\0\0".utf8)
        tag += UInt32(count).bigEndianBytes
        for step in 0..<count {
            let value = min(max(light(Double(step) / Double(count - 1)), 0), 1)
            tag += UInt16((value * 65_535).rounded()).bigEndianBytes
        }
        return tag
    }

    private static func xyz(_ values: [Double]) -> Data {
        Data("XYZ \0\0\0\0".utf8) + values.flatMap(fixed)
    }

    private static let headBytes = 128

    /// Equal tags share their bytes.
    private static func assemble(_ space: String, _ tags: [(name: String, content: Data)]) -> Data {
        var (table, body) = (Data(UInt32(tags.count).bigEndianBytes), Data())
        let start = headBytes + 4 + 12 * tags.count
        var places: [Data: Int] = [:]
        for tag in tags {
            let place = places[tag.content] ?? start + body.count
            if places.updateValue(place, forKey: tag.content) == nil {
                body += tag.content
                body += Data(count: -body.count & 3)
            }
            table += Data(tag.name.utf8) + UInt32(place).bigEndianBytes
            table += UInt32(tag.content.count).bigEndianBytes
        }
        var head = Data(count: headBytes)
        head.replaceSubrange(0..<4, with: UInt32(start + body.count).bigEndianBytes)
        head.replaceSubrange(8..<12, with: [4, 0x30, 0, 0])
        head.replaceSubrange(12..<24, with: Data("mntr\(space)XYZ ".utf8))
        head.replaceSubrange(36..<40, with: Data("acsp".utf8))
        head.replaceSubrange(68..<80, with: Chromaticities.d50.flatMap(fixed))
        return head + table + body
    }

    /// s15Fixed16Number, for magnitudes below 32,768.
    private static func fixed(_ value: Double) -> [UInt8] {
        Int32((value * 65_536).rounded()).bigEndianBytes
    }
}
