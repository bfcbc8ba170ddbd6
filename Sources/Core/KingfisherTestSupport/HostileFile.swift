public import Foundation

/// Small files that claim to be much larger than they are.
public enum HostileFile {
    /// A photograph whose frame header claims 60,000 x 60,000 pixels.
    public static func hugeJPEG() throws -> Data {
        var data = try Fixtures.data(named: "Photos/astronaut.jpg")
        guard let marker = data.firstRange(of: [0xFF, 0xC0]) ?? data.firstRange(of: [0xFF, 0xC2]) else {
            throw CocoaError(.fileReadCorruptFile)
        }
        // Marker, length (2), precision (1), height (2), width (2): ITU-T T.81, B.2.2.
        data.replaceSubrange(marker.lowerBound + 5..<marker.lowerBound + 9, with: [0xEA, 0x60, 0xEA, 0x60])
        return data
    }

    /// An image whose IHDR claims 60,000 x 60,000 pixels, with a matching checksum.
    public static func hugePNG() throws -> Data {
        var data = try Fixtures.data(named: "Photos/badge.png")
        data.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        data.replaceSubrange(12..<33, with: pngChunk("IHDR", data[16..<29]).dropFirst(4))
        return data
    }

    /// A valid PNG of `side` x `side` transparent pixels with four samples each, compressed to a thousandth.
    ///
    /// With 16 bits and a side of 10,000, the file has 778 KB and decodes to 800 MB of samples.
    public static func clearPNG(side: Int, bitsPerSample: Int) -> Data {
        let rgba: UInt8 = 6
        var header = Data()
        for _ in 0..<2 { withUnsafeBytes(of: UInt32(side).bigEndian) { header += $0 } }
        header += [UInt8(bitsPerSample), rgba, 0, 0, 0]
        // A zero before each row means that the row is not filtered.
        let rows = Gzip.zlibZeros(side * (1 + side * 4 * bitsPerSample / 8))
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + pngChunk("IHDR", header)
            + pngChunk("IDAT", rows) + pngChunk("IEND", Data())
    }

    /// A GIF with a canvas of `side` x `side` pixels and many frames, each of which changes one pixel.
    ///
    /// 9,999 frames of 3,000 x 3,000 pixels take 230 KB and decode to 90 billion pixels.
    public static func longGIF(frames: Int, side: UInt16) -> Data {
        let canvas = withUnsafeBytes(of: side.littleEndian) { Data($0) + Data($0) }
        let palette: [UInt8] = [0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF]
        let control: [UInt8] = [0x21, 0xF9, 4, 0, 2, 0, 0, 0]
        // Codes of 3 bits: clear (4), color 0, end (5).
        let pixels: [UInt8] = [2, 2, 0x44, 0x01, 0]
        let onePixel: [UInt8] = [1, 0, 1, 0]
        let frame = Data(control + [0x2C, 0, 0, 0, 0] + onePixel + [0] + pixels)
        var file = Data("GIF89a".utf8) + canvas + Data(palette)
        file.reserveCapacity(file.count + frame.count * frames + 1)
        for _ in 0..<frames { file += frame }
        return file + Data([0x3B])
    }

    /// Length, type, data and checksum (ISO/IEC 15948, 5.3).
    package static func pngChunk(_ type: String, _ data: Data) -> Data {
        let content = Data(type.utf8) + data
        let checksum = UInt32(truncatingIfNeeded: Gzip.crc32(of: content))
        return withUnsafeBytes(of: UInt32(data.count).bigEndian) { Data($0) } + content
            + withUnsafeBytes(of: checksum.bigEndian) { Data($0) }
    }
}
