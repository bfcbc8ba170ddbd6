import Foundation
import KingfisherCodecSupport

/// Primaries and exponents of a V4 header of the kind LCS_CALIBRATED_RGB.
///
/// The endpoints are read as chromaticities, because that is what writers store there, with D65 as white. A
/// header whose fields are zero, as many writers leave them, has no calibration.
struct CalibratedRGB: Hashable {
    /// CIE x and y of red, green and blue.
    let primaries: [SIMD2<Double>]
    let gamma: [Double]

    private static let white = SIMD2(0.3127, 0.3290)

    init?(_ header: ByteReader) {
        func fixed(_ offset: Int, _ one: Double) -> Double {
            Double(header.uint32(at: offset, bigEndian: false) ?? 0) / one
        }
        // FXPT2DOT30, three for each colour, then 16.16.
        let (one2, one16) = (Double(1 << 30), Double(1 << 16))
        primaries = (0..<3).map { color -> SIMD2<Double> in
            let start = 60 + color * 12
            let (x, y, z) = (fixed(start, one2), fixed(start + 4, one2), fixed(start + 8, one2))
            let sum = x + y + z
            return sum > 0 ? SIMD2(x, y) / sum : SIMD2(0, 0)
        }
        gamma = (0..<3).map { fixed(96 + $0 * 4, one16) }
        guard gamma.allSatisfy({ (0.2...10).contains($0) }), primaries.allSatisfy({ $0.y > 0.001 }) else {
            return nil
        }
        // Three colours on a line make no space.
        let (a, b) = (primaries[1] - primaries[0], primaries[2] - primaries[0])
        guard abs(a.x * b.y - a.y * b.x) > 0.001 else { return nil }
    }

    var transform: ICCTransform? {
        guard let profile else { return nil }
        return profile.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0)) }
    }

    /// An ICC profile of three primaries and curves (ICC.1:2022, 8.3 and 10.18).
    private var profile: Data? {
        guard let columns = adaptedColumns else { return nil }
        var body = Data()
        var tags: [(name: String, offset: Int, count: Int)] = []
        for (index, color) in ["r", "g", "b"].enumerated() {
            let xyz = Self.tag("XYZ ", columns[index])
            // A parametric curve of kind 0: the exponent alone.
            let curve = Self.tag("para", [0, gamma[index]])
            for (name, bytes) in [("\(color)XYZ", xyz), ("\(color)TRC", curve)] {
                tags.append((name, body.count, bytes.count))
                body += bytes
            }
        }
        let start = 128 + 4 + tags.count * 12
        var file = Data(count: 128)
        file.put(start + body.count, at: 0)
        file.put(0x0400_0000, at: 8)
        for (offset, text) in [(12, "mntr"), (16, "RGB "), (20, "XYZ "), (36, "acsp")] {
            file.replaceSubrange(offset..<offset + 4, with: text.utf8)
        }
        for (index, value) in [0.9642, 1, 0.8249].enumerated() {
            file.put(Self.fixed(value), at: 68 + index * 4)
        }
        file += Data.number(tags.count)
        for tag in tags {
            file += Data(tag.name.utf8) + Data.number(start + tag.offset) + Data.number(tag.count)
        }
        return file + body
    }

    /// The XYZ of the primaries relative to D50, which profiles are written for.
    ///
    /// The primaries are scaled so that they add up to white (SMPTE RP 177:1993, 3.3), then adapted by
    /// Bradford's matrix (ICC.1:2022, annex E).
    private var adaptedColumns: [[Double]]? {
        func xyz(_ point: SIMD2<Double>) -> SIMD3<Double> {
            SIMD3(point.x / point.y, 1, (1 - point.x - point.y) / point.y)
        }
        let (columns, white) = (primaries.map(xyz), xyz(Self.white))
        guard let scale = Matrix(columns: columns).solved(white) else { return nil }
        let bradford = Matrix(columns: [
            SIMD3(0.8951, -0.7502, 0.0389), SIMD3(0.2664, 1.7135, -0.0685), SIMD3(-0.1614, 0.0367, 1.0296),
        ])
        let gain = bradford.times(SIMD3(0.9642, 1, 0.8249)) / bradford.times(white)
        var adapted: [[Double]] = []
        for (index, column) in columns.enumerated() {
            guard let result = bradford.solved(bradford.times(column * scale[index]) * gain) else {
                return nil
            }
            adapted.append([result.x, result.y, result.z])
        }
        return adapted.joined().allSatisfy({ abs($0) < 8 }) ? adapted : nil
    }

    private static func tag(_ type: String, _ values: [Double]) -> Data {
        values.reduce(Data(type.utf8) + Data(count: 4)) { $0 + Data.number(fixed($1)) }
    }

    /// s15Fixed16Number.
    private static func fixed(_ value: Double) -> Int { Int((value * 65_536).rounded()) }
}

private struct Matrix {
    let columns: [SIMD3<Double>]

    func times(_ vector: SIMD3<Double>) -> SIMD3<Double> {
        columns[0] * vector.x + columns[1] * vector.y + columns[2] * vector.z
    }

    /// The vector whose product is `result`, by Cramer's rule; nil for a singular matrix.
    func solved(_ result: SIMD3<Double>) -> SIMD3<Double>? {
        let determinant = Self.determinant(columns)
        guard abs(determinant) > 1e-9 else { return nil }
        var solution = SIMD3(0.0, 0, 0)
        for index in 0..<3 {
            var replaced = columns
            replaced[index] = result
            solution[index] = Self.determinant(replaced) / determinant
        }
        return solution
    }

    private static func determinant(_ c: [SIMD3<Double>]) -> Double {
        let (first, second, third) = (c[0], c[1], c[2])
        return first.x * (second.y * third.z - second.z * third.y)
            - second.x * (first.y * third.z - first.z * third.y)
            + third.x * (first.y * second.z - first.z * second.y)
    }
}

extension Data {
    fileprivate static func number(_ value: Int) -> Data {
        Swift.withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Data($0) }
    }

    fileprivate mutating func put(_ value: Int, at offset: Int) {
        replaceSubrange(offset..<offset + 4, with: Self.number(value))
    }
}
