import Foundation

/// The colour space of a PNG (W3C PNG, third edition, section 4.3).
///
/// An embedded profile has precedence; without one the colours are sRGB, with or without an sRGB chunk. gAMA
/// and cHRM alone are ignored, because most writers use them to describe sRGB (decision 035).
extension PNGFileHeader {
    func colors(in reader: ByteReader, of format: PixelFormat) -> ICCTransform? {
        guard let profile = Self.profile(in: reader) else { return nil }
        let isGray = colorType == .gray || colorType == .grayAlpha
        let samples: ICCSamples =
            isGray && format.layout == .rgba ? .grayInColor(format.depth) : ICCSamples(format)
        return profile.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: samples) }
    }

    static func profile(in reader: ByteReader) -> Data? {
        var chunks = PNGChunks(reader, from: end)
        while let chunk = try? chunks.next(), chunk.type != .PLTE, chunk.type != .IDAT, chunk.type != .IEND {
            if chunk.type == .iCCP { return profile(in: chunk, of: reader) }
        }
        return nil
    }

    static func profile(in chunk: PNGChunk, of reader: ByteReader) -> Data? {
        // A name of at most 79 letters, a zero, and the compression method, which must be 0.
        guard let data = reader.slice(at: chunk.data, count: chunk.length),
            let name = data.bytes.prefix(80).firstIndex(of: 0), data.uint8(at: name + 1) == 0,
            let stream = data.slice(at: name + 2, count: data.count - name - 2)
        else { return nil }
        return PNGText.expanded(stream, atMost: ImageLimits.maximumMetadataBytes)
    }
}
