import Foundation

/// Small files with metadata.
enum Carrier {
    /// A file with the TIFF data in an APP1 segment.
    static func jpeg(exif tiff: Data) -> Data {
        jpeg([segment(0xE1, Data("Exif\0\0".utf8) + tiff)])
    }

    /// A file with the profile in several APP2 segments. The first byte selects their length, the second a
    /// wrong count or order of the pieces.
    static func jpeg(profile: Data) -> Data {
        let length = max(32, Int(profile.first ?? 1) * 16)
        let damage = Int(profile.dropFirst().first ?? 0)
        let starts = Array(stride(from: 0, to: profile.count, by: length).prefix(200))
        let pieces = starts.enumerated().map { number, start in
            let sequence = damage & 3 == 1 ? starts.count - number : number + 1
            let count = damage & 3 == 2 ? damage : starts.count
            let head =
                Data("ICC_PROFILE\0".utf8) + [
                    UInt8(truncatingIfNeeded: sequence), UInt8(truncatingIfNeeded: count),
                ]
            return segment(0xE2, head + profile.dropFirst(start).prefix(length))
        }
        return jpeg(pieces)
    }

    /// A file with the profile in an iCCP chunk, in uncompressed deflate blocks.
    static func png(profile: Data) -> Data {
        var deflated = Data([0x78, 0x01])
        let starts = Array(stride(from: 0, to: max(profile.count, 1), by: 65_535))
        for start in starts {
            let block = profile.dropFirst(start).prefix(65_535)
            let length = UInt16(block.count)
            deflated.append(start == starts.last ? 1 : 0)
            deflated +=
                [UInt8(length & 255), UInt8(length >> 8), UInt8(~length & 255), UInt8(~length >> 8)] + block
        }
        deflated += bytes(adler32(profile))
        return png(chunk: "iCCP", Data("p\0\0".utf8) + deflated)
    }

    /// A file with `data` in a chunk of `type` before the pixels.
    static func png(chunk type: String, _ data: Data) -> Data {
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            + chunk("IHDR", Data([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]))
            + chunk(type, data)
            // One row: no filter, one red pixel.
            + chunk(
                "IDAT",
                Data([0x78, 0x01, 1, 4, 0, 0xFB, 0xFF, 0, 255, 0, 0]) + bytes(adler32(Data([0, 255, 0, 0]))))
            + chunk("IEND", Data())
    }

    /// A grey JPEG of eight by eight pixels with one flat block: a quantization table, a frame header, a code
    /// of one bit for each Huffman table.
    private static func jpeg(_ segments: [Data]) -> Data {
        let tables = Data([0]) + Data(repeating: 1, count: 64)
        let counts = Data([1]) + Data(count: 16)
        let parts =
            segments + [
                segment(0xDB, tables), segment(0xC0, Data([8, 0, 8, 0, 8, 1, 1, 0x11, 0])),
                segment(0xC4, Data([0x00]) + counts), segment(0xC4, Data([0x10]) + counts),
                segment(0xDA, Data([1, 1, 0x00, 0, 63, 0])),
            ]
        return Data([0xFF, 0xD8]) + Data(parts.joined()) + Data([0x3F, 0xFF, 0xD9])
    }

    /// Truncated to the maximum length of a segment.
    private static func segment(_ marker: UInt8, _ body: Data) -> Data {
        let body = body.prefix(65_533)
        let length = body.count + 2
        return Data([0xFF, marker, UInt8(length >> 8), UInt8(length & 255)]) + body
    }

    /// The harness writes the checksum.
    private static func chunk(_ type: String, _ body: Data) -> Data {
        bytes(UInt32(body.count)) + Data(type.utf8) + body + Data(count: 4)
    }

    private static func bytes(_ value: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) })
    }

    private static func adler32(_ data: Data) -> UInt32 {
        let (a, b) = data.reduce((UInt32(1), UInt32(0))) { sums, byte in
            let a = (sums.0 + UInt32(byte)) % 65_521
            return (a, (sums.1 + a) % 65_521)
        }
        return b << 16 | a
    }
}
