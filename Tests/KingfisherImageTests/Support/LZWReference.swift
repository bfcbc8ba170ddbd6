import Foundation

@testable import KingfisherImage

/// A direct implementation of the LZW specification: strings in a list, bits one at a time.
enum LZWReference {
    /// The indices, or nil when the codes are wrong or end before there are `count`.
    static func unpack(_ bytes: [UInt8], minimumCodeSize: Int, count: Int) -> [UInt8]? {
        let clear = 1 << minimumCodeSize
        var (strings, width) = fresh(minimumCodeSize)
        var previous: [UInt8]?
        var result: [UInt8] = []
        var bit = 0
        while result.count < count {
            guard bit + width <= bytes.count * 8 else { return nil }
            var code = 0
            for place in 0..<width {
                code |= Int(bytes[(bit + place) / 8] >> UInt8((bit + place) % 8) & 1) << place
            }
            bit += width
            if code == clear {
                (strings, width) = fresh(minimumCodeSize)
                previous = nil
                continue
            }
            if code == clear + 1 { return nil }
            let string: [UInt8]
            if code < strings.count {
                string = strings[code]
            } else if code == strings.count, let previous {
                string = previous + previous.prefix(1)
            } else {
                return nil
            }
            result += string
            if let previous, strings.count < 4096 { strings.append(previous + string.prefix(1)) }
            if strings.count >= 1 << width, width < 12 { width += 1 }
            previous = string
        }
        return Array(result.prefix(count))
    }

    private static func fresh(_ minimumCodeSize: Int) -> (strings: [[UInt8]], width: Int) {
        let literals = (0..<1 << minimumCodeSize).map { [UInt8($0)] }
        return (literals + [[], []], minimumCodeSize + 1)
    }

    /// The bytes of sub-blocks that start with the code size, and whether a terminator ends them exactly.
    static func joined(_ data: [UInt8]) -> (codeSize: Int, bytes: [UInt8], isWhole: Bool) {
        var bytes: [UInt8] = []
        var offset = 1
        while offset < data.count, data[offset] > 0 {
            bytes += data[(offset + 1)..<min(offset + 1 + Int(data[offset]), data.count)]
            offset += 1 + Int(data[offset])
        }
        return (Int(data[0]), bytes, offset == data.count - 1)
    }
}

/// Codes packed from the lowest bit up.
struct CodeBits {
    private(set) var bytes: [UInt8] = []
    private var count = 0

    mutating func append(_ code: Int, width: Int) {
        for place in 0..<width {
            if count % 8 == 0 { bytes.append(0) }
            bytes[count / 8] |= UInt8(code >> place & 1) << UInt8(count % 8)
            count += 1
        }
    }

    /// The codes in sub-blocks of up to `length` bytes.
    func blocks(of length: Int = 255) -> Data {
        stride(from: 0, to: bytes.count, by: length).reduce(into: Data()) { data, start in
            let block = bytes[start..<min(start + length, bytes.count)]
            data += [UInt8(block.count)] + block
        } + [0]
    }
}
