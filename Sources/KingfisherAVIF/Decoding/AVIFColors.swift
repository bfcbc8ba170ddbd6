import CAVIF
import Foundation
import KingfisherCodecSupport

/// The conversion of a file's colours to sRGB.
enum AVIFColors {
    /// By the ICC profile, or else by the `nclx` code points; nil for sRGB and for unknown ones.
    ///
    /// The transfer of BT.709 counts as that of sRGB, as in browsers and other viewers.
    static func transform(_ image: UnsafePointer<avifImage>, _ decoder: AVIFDecoder) -> ICCTransform? {
        let depth: PixelFormat.Depth = image.pointee.depth > 8 ? .sixteen : .eight
        let icc = image.pointee.icc
        if icc.size > 0, let bytes = icc.data {
            let profile = ByteReader(UnsafeRawBufferPointer(start: bytes, count: icc.size))
            return ICCTransform.toSRGB(
                from: profile, of: decoder.isGrayscale ? .grayInColor(depth) : .rgb(depth))
        }
        let profile = CICPProfile.file(
            primaries: Int(image.pointee.colorPrimaries), transfer: Int(image.pointee.transferCharacteristics)
        )
        return profile?.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: .rgb(depth)) }
    }
}

/// An ICC profile (ICC.1:2022) for code points of ITU-T H.273, so that they take the path of profiles.
enum CICPProfile {
    /// Nil if no conversion is needed, or the code points are unknown.
    static func file(primaries: Int, transfer: Int) -> Data? {
        let isBT709 = [0, 1, 2].contains(primaries)
        guard let tag = curve(transfer), let colorants = chromaticities[isBT709 ? 1 : primaries] else {
            return nil
        }
        if isBT709, tag == sRGBCurve { return nil }
        return colorants.columnsForD50.map { assemble($0, tag) }
    }

    /// H.273, table 2: x and y of red, green, blue and white.
    private static let chromaticities: [Int: Chromaticities] = [
        1: Chromaticities(0.640, 0.330, 0.300, 0.600, 0.150, 0.060, Chromaticities.d65),
        4: Chromaticities(0.67, 0.33, 0.21, 0.71, 0.14, 0.08, (0.310, 0.316)),
        5: Chromaticities(0.64, 0.33, 0.29, 0.60, 0.15, 0.06, Chromaticities.d65),
        6: Chromaticities(0.630, 0.340, 0.310, 0.595, 0.155, 0.070, Chromaticities.d65),
        7: Chromaticities(0.630, 0.340, 0.310, 0.595, 0.155, 0.070, Chromaticities.d65),
        8: Chromaticities(0.681, 0.319, 0.243, 0.692, 0.145, 0.049, (0.310, 0.316)),
        9: Chromaticities(0.708, 0.292, 0.170, 0.797, 0.131, 0.046, Chromaticities.d65),
        11: Chromaticities(0.680, 0.320, 0.265, 0.690, 0.150, 0.060, (0.314, 0.351)),
        12: Chromaticities(0.680, 0.320, 0.265, 0.690, 0.150, 0.060, Chromaticities.d65),
        22: Chromaticities(0.630, 0.340, 0.295, 0.605, 0.155, 0.077, Chromaticities.d65),
    ]

    private static let sRGBCurve = parametric(3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])

    /// The tag of the curve to linear light (H.273, table 3); nil for unknown code points.
    private static func curve(_ transfer: Int) -> Data? {
        switch transfer {
        case 0, 1, 2, 6, 13, 14, 15: sRGBCurve
        case 4: parametric(0, [2.2])
        case 5: parametric(0, [2.8])
        case 8: parametric(0, [1])
        case 16: table { HDRCurve.pq($0) }
        case 18: table { HDRCurve.hlg($0) }
        default: nil
        }
    }

    private static func parametric(_ kind: UInt16, _ values: [Double]) -> Data {
        var tag = Data("para\0\0\0\0".utf8)
        tag.append(kind)
        tag.append(UInt16(0))
        for value in values { tag.append(fixed(value)) }
        return tag
    }

    private static func table(_ light: (Double) -> Double) -> Data {
        let count = 4_096
        var tag = Data("curv\0\0\0\0".utf8)
        tag.append(UInt32(count))
        for step in 0..<count {
            tag.append(UInt16((min(max(light(Double(step) / Double(count - 1)), 0), 1) * 65_535).rounded()))
        }
        return tag
    }

    private static func assemble(_ columns: [[Double]], _ curve: Data) -> Data {
        let tags = ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"]
        let start = 128 + 4 + 12 * tags.count
        var file = Data(count: 128)
        file.append(UInt32(tags.count))
        for (index, name) in tags.enumerated() {
            file.append(contentsOf: name.utf8)
            file.append(UInt32(start + min(index, 3) * 20))
            file.append(UInt32(index < 3 ? 20 : curve.count))
        }
        for column in columns {
            file.append(contentsOf: "XYZ \0\0\0\0".utf8)
            for value in column { file.append(fixed(value)) }
        }
        file.append(curve)
        while file.count % 4 != 0 { file.append(UInt8(0)) }
        file.replaceSubrange(0..<4, with: UInt32(file.count).bytes)
        file.replaceSubrange(8..<12, with: [4, 0x30, 0, 0])
        file.replaceSubrange(12..<24, with: "mntrRGB XYZ ".utf8)
        file.replaceSubrange(36..<40, with: "acsp".utf8)
        for (index, value) in Chromaticities.d50.enumerated() {
            file.replaceSubrange(68 + index * 4..<72 + index * 4, with: fixed(value).bytes)
        }
        return file
    }

    /// s15Fixed16Number.
    private static func fixed(_ value: Double) -> UInt32 {
        UInt32(bitPattern: Int32((value * 65_536).rounded()))
    }
}

extension FixedWidthInteger {
    fileprivate var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension Data {
    fileprivate mutating func append(_ value: UInt32) { append(contentsOf: value.bytes) }
    fileprivate mutating func append(_ value: UInt16) { append(contentsOf: value.bytes) }
}
