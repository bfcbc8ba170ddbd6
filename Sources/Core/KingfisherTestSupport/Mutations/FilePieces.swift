/// The ranges of a file's chunks or segments, as far as its length fields are valid.
enum FilePieces {
    static func ranges(of bytes: [UInt8]) -> [Range<Int>] {
        if bytes.starts(with: PNGPieces.signature) { return PNGPieces.ranges(of: bytes) }
        if bytes.starts(with: [0xFF, 0xD8]) { return segments(of: bytes) }
        if bytes.starts(with: "RIFF".utf8) { return chunks(of: bytes) }
        return []
    }

    private static func segments(of bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var offset = 2
        while offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
            let end = offset + 2 + Int(bytes[offset + 2]) << 8 + Int(bytes[offset + 3])
            guard end <= bytes.count, end > offset + 3 else { break }
            ranges.append(offset..<end)
            offset = end
        }
        return ranges
    }

    private static func chunks(of bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var offset = 12
        while offset + 8 <= bytes.count {
            let length = (0..<4).reversed().reduce(0) { $0 << 8 | Int(bytes[offset + 4 + $1]) }
            let end = offset + 8 + length + length % 2
            guard end <= bytes.count else { break }
            ranges.append(offset..<end)
            offset = end
        }
        return ranges
    }
}

package enum PNGPieces {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func ranges(of bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var offset = signature.count
        while offset + 12 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
            guard length <= bytes.count - offset - 12 else { break }
            ranges.append(offset..<offset + length + 12)
            offset += length + 12
        }
        return ranges
    }

    /// Corrects the checksum of every complete chunk of a PNG. Other files are not changed.
    package static func repairChecksums(in bytes: inout [UInt8]) {
        guard bytes.starts(with: signature) else { return }
        for range in ranges(of: bytes) {
            let checksum = crc32(bytes[range.dropFirst(4).dropLast(4)])
            for index in 0..<4 {
                bytes[range.upperBound - 4 + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index))
            }
        }
    }

    /// The CRC table (ISO/IEC 15948, annex D).
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    private static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }
}
