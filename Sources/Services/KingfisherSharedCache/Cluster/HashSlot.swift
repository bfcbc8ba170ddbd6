/// The hash slot of a key, as the Redis Cluster specification defines it: CRC16 (XMODEM) modulo 16,384 of
/// the part in the first braces, or of the whole key if there is none.
package enum HashSlot {
    package static let count = 16384

    package static func of(_ key: String) -> Int {
        let bytes = Array(key.utf8)
        return Int(crc16(hashed(bytes))) % count
    }

    private static func hashed(_ key: [UInt8]) -> ArraySlice<UInt8> {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        else { return key[...] }
        return key[(open + 1)..<close]
    }

    static func crc16(_ bytes: some Sequence<UInt8>) -> UInt16 {
        bytes.reduce(0) { crc, byte in crc << 8 ^ table[Int(crc >> 8) ^ Int(byte)] }
    }

    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { value, _ in
            value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
        }
    }
}
