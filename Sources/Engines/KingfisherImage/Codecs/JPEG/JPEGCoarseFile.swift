import Foundation

/// A progressive JPEG without its scans of AC coefficients (ITU-T T.81, G.1). The image at an eighth of the
/// size needs only the DC coefficients, which are a tenth of the file.
///
/// Examines the whole file up to its end-of-image marker. The initializer fails for a truncated file and for
/// one that libjpeg might reject, which libjpeg must then read in full. Corruption inside the omitted scans
/// is not detected.
struct JPEGCoarseFile {
    private(set) var ranges: [Range<Int>] = []
    /// The bit position to which each coefficient of a component is known; -1 for unknown.
    private var known: [Int: [Int]]

    private static let coefficients = 64

    init?(_ reader: ByteReader, frame: JPEGFrameHeader, maximumScans: Int) {
        guard frame.isProgressive else { return nil }
        let unknown = [Int](repeating: -1, count: Self.coefficients)
        known = Dictionary(frame.componentIDs.map { ($0, unknown) }) { first, _ in first }
        guard known.count == frame.components, walk(reader, from: frame.firstScan, maximumScans) else {
            return nil
        }
    }

    func bytes(of reader: ByteReader) -> Data {
        ranges.reduce(into: Data(capacity: ranges.reduce(0) { $0 + $1.count })) { data, range in
            data.append(contentsOf: reader.bytes[range])
        }
    }

    private mutating func walk(_ reader: ByteReader, from firstScan: Int, _ maximumScans: Int) -> Bool {
        var (offset, kept, scans) = (firstScan, 0, 0)
        while let (code, next) = try? JPEGFrameHeader.marker(in: reader, from: offset) {
            switch code {
            case 0x01, 0xD0...0xD7:
                offset = next
            case 0xD9:
                guard !ranges.isEmpty, known.values.allSatisfy({ $0[0] >= 0 }) else { return false }
                ranges.append(kept..<next)
                return true
            case 0xD8,
                _ where JPEGFrameHeader.isFrame(code):
                return false
            default:
                guard let length = reader.uint16(at: next, bigEndian: true), length >= 2,
                    let body = reader.slice(at: next + 2, count: length - 2)
                else { return false }
                offset = next + length
                guard code == 0xDA else { continue }
                scans += 1
                guard scans <= maximumScans, let isCoarse = take(scan: body),
                    let end = Self.end(ofScanIn: reader, from: offset)
                else { return false }
                if !isCoarse {
                    ranges.append(kept..<next - 2)
                    kept = end
                }
                offset = end
            }
        }
        return false
    }

    /// Whether a scan has DC coefficients; nil if its header violates G.1.1.1.1.
    private mutating func take(scan: ByteReader) -> Bool? {
        guard let count = scan.uint8(at: 0), (1...4).contains(count), scan.count == 4 + 2 * count,
            let first = scan.uint8(at: 1 + 2 * count), let last = scan.uint8(at: 2 + 2 * count),
            let approximation = scan.uint8(at: 3 + 2 * count)
        else { return nil }
        let (before, after) = (approximation >> 4, approximation & 15)
        guard before == 0 || before == after + 1, after <= 13, last < Self.coefficients,
            first == 0 ? last == 0 : count == 1 && first <= last
        else { return nil }
        for index in 0..<count {
            guard let component = scan.uint8(at: 1 + 2 * index), var bits = known[component],
                first == 0 || bits[0] >= 0,
                bits[first...last].allSatisfy({ max($0, 0) == before })
            else { return nil }
            for coefficient in first...last { bits[coefficient] = after }
            known[component] = bits
        }
        return first == 0
    }

    static func hasEnd(_ reader: ByteReader, from firstScan: Int) -> Bool {
        var offset = firstScan
        while let (code, next) = try? JPEGFrameHeader.marker(in: reader, from: offset) {
            switch code {
            case 0x01, 0xD0...0xD8: offset = next
            case 0xD9: return true
            default:
                guard let length = reader.uint16(at: next, bigEndian: true) else { return false }
                offset = next + max(length, 2)
            }
        }
        return false
    }

    private static func end(ofScanIn reader: ByteReader, from start: Int) -> Int? {
        var offset = start
        while let found = reader.offset(of: 0xFF, from: offset), let code = reader.uint8(at: found + 1) {
            switch code {
            case 0, 0xD0...0xD7: offset = found + 2
            case 0x01: return nil
            case 0xFF: offset = found + 1
            default: return found
            }
        }
        return nil
    }
}
