import Foundation
import KingfisherCodecSupport

/// The parameter sets of a coded image (`hvcC`: ISO/IEC 14496-15, 8.3.3.1).
struct HEICParameterSets {
    /// The bytes of the lengths before NAL units in the bitstream.
    let lengthBytes: Int
    private let units: [ByteReader]

    /// Nil if the list of NAL units is malformed.
    init?(_ content: ByteReader) {
        guard let lengths = content.uint8(at: 21), let arrays = content.uint8(at: 22) else { return nil }
        var (offset, found) = (23, [ByteReader]())
        for _ in 0..<arrays {
            guard let count = content.uint16(at: offset + 1, bigEndian: true) else { return nil }
            offset += 3
            for _ in 0..<count {
                guard let length = content.uint16(at: offset, bigEndian: true),
                    let unit = content.slice(at: offset + 2, count: length)
                else { return nil }
                found.append(unit)
                offset += 2 + length
            }
        }
        (lengthBytes, units) = (lengths & 3 + 1, found)
    }

    /// The NAL units, each after its length in four bytes.
    var data: Data {
        units.reduce(into: Data()) { data, unit in
            withUnsafeBytes(of: UInt32(unit.count).bigEndian) { data.append(contentsOf: $0) }
            data.append(contentsOf: unit.bytes)
        }
    }

    /// What the first sequence parameter set says; nil if it is missing or malformed.
    var sequence: HEICSequenceParameters? {
        units.first { $0.uint8(at: 0).map { $0 >> 1 & 63 == 33 } ?? false }.flatMap(
            HEICSequenceParameters.init)
    }
}

/// The beginning of a sequence parameter set (ITU-T H.265, 7.3.2.2).
struct HEICSequenceParameters {
    /// The size of frames within the conformance window.
    let frameSize: PixelSize
    /// The frames that a decoder must hold for references and reordering; nil if they are malformed.
    let bufferedFrames: Int?

    init?(_ unit: ByteReader) {
        var bits = RawBits(unit)
        guard bits.skip(4), let layers = bits.read(3), bits.skip(1), bits.skipProfile(layers: layers),
            bits.readExponential() != nil, let format = bits.readExponential(), format <= 3,
            let isSeparate = format == 3 ? bits.read(1) : 0,
            let width = bits.readExponential(), let height = bits.readExponential(),
            let isCropped = bits.read(1)
        else { return nil }
        var window = (columns: 0, rows: 0)
        if isCropped == 1 {
            guard let left = bits.readExponential(), let right = bits.readExponential(),
                let top = bits.readExponential(), let bottom = bits.readExponential()
            else { return nil }
            window = (left + right, top + bottom)
        }
        let chroma = isSeparate == 1 ? nil : HEICImage.Chroma(rawValue: format)
        frameSize = PixelSize(
            width: width - (chroma?.columns ?? 1) * window.columns,
            height: height - (chroma?.rows ?? 1) * window.rows)
        bufferedFrames = bits.readBufferedFrames(layers: layers)
    }
}

/// The bits after the header of a NAL unit, without the bytes that prevent start codes (ITU-T H.265,
/// 7.3.1.1).
private struct RawBits {
    private var bytes: [UInt8] = []
    private var position = 0

    /// More than the size of frames and all before it take.
    private static let maximumBytes = 256

    init(_ unit: ByteReader) {
        var zeros = 0
        for byte in unit.bytes.dropFirst(2).prefix(Self.maximumBytes) {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            bytes.append(byte)
            zeros = byte == 0 ? zeros + 1 : 0
        }
    }

    /// At most 32 bits; nil after the end.
    mutating func read(_ count: Int) -> Int? {
        guard count <= 8 * bytes.count - position else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position >> 3] >> (7 - position & 7) & 1)
            position += 1
        }
        return value
    }

    mutating func skip(_ count: Int) -> Bool {
        position += count
        return position <= 8 * bytes.count
    }

    /// An Exp-Golomb code (9.2); nil above 32 bits.
    mutating func readExponential() -> Int? {
        var zeros = 0
        while let bit = read(1), zeros <= 32 {
            if bit == 1 { return read(zeros).map { (1 << zeros) - 1 + $0 } }
            zeros += 1
        }
        return nil
    }

    /// `profile_tier_level` (7.3.3); `layers` is the number of sub-layers but the highest.
    mutating func skipProfile(layers: Int) -> Bool {
        guard skip(96) else { return false }
        guard layers > 0 else { return true }
        var rest = 0
        for _ in 0..<layers {
            guard let hasProfile = read(1), let hasLevel = read(1) else { return false }
            rest += 88 * hasProfile + 8 * hasLevel
        }
        return skip(2 * (8 - layers) + rest)
    }

    /// The largest `sps_max_dec_pic_buffering_minus1` of all layers, and one.
    mutating func readBufferedFrames(layers: Int) -> Int? {
        // Depths of luma and chroma, bits of the order count.
        guard readExponential() != nil, readExponential() != nil, readExponential() != nil,
            let isOfEachLayer = read(1)
        else { return nil }
        var largest = 0
        for _ in 0...(isOfEachLayer == 1 ? layers : 0) {
            guard let frames = readExponential(), readExponential() != nil, readExponential() != nil else {
                return nil
            }
            largest = max(largest, frames + 1)
        }
        return largest
    }
}
