public import Foundation

/// `data` with the correct checksum for every complete chunk of a PNG. Otherwise the code behind checksums is
/// hardly ever reached.
public func repaired(png data: Data) -> Data {
    var bytes = [UInt8](data)
    guard bytes.count > 8, bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
        return data
    }
    var offset = 8
    while bytes.count - offset >= 12 {
        let length = (0..<4).reduce(0) { $0 << 8 | Int(bytes[offset + $1]) }
        guard length <= bytes.count - offset - 12 else { break }
        let end = offset + 8 + length
        let checksum = ~bytes[offset + 4..<end].reduce(~0) {
            table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8)
        }
        for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * index)) }
        offset = end + 4
    }
    return Data(bytes)
}

/// ISO/IEC 15948, annex D.
private let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
}
