public import Foundation

/// Small files that promise far more than they hold.
public enum HostileFile {
    /// A photograph whose frame header was overwritten to promise 60,000 x 60,000 pixels.
    public static func hugeJPEG() throws -> Data {
        var data = try Fixtures.data(named: "Photos/astronaut.jpg")
        guard let marker = data.firstRange(of: [0xFF, 0xC0]) ?? data.firstRange(of: [0xFF, 0xC2]) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        // Marker, length (2), precision (1), height (2), width (2): ITU-T T.81, B.2.2.
        data.replaceSubrange(marker.lowerBound + 5..<marker.lowerBound + 9, with: [0xEA, 0x60, 0xEA, 0x60])
        return data
    }

    /// A picture whose IHDR was overwritten to promise 60,000 x 60,000 pixels, with the checksum that belongs
    /// to it.
    public static func hugePNG() throws -> Data {
        var data = try Fixtures.data(named: "Photos/badge.png")
        data.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        let checksum = crc32(data[12..<29])
        data.replaceSubrange(
            29..<33, with: (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (24 - 8 * $0)) })
        return data
    }

    /// The CRC of PNG chunks (ISO/IEC 15948, annex D).
    private static func crc32(_ bytes: Data) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
