import Foundation

/// Which colours a PNG means (W3C PNG, third edition, section 4.3).
///
/// An embedded profile comes first; without one the colours are taken for sRGB, whether an sRGB chunk says so
/// or nothing does. gAMA and cHRM alone are not looked at: what most writers put there is sRGB in other
/// words. Decision 035.
extension PNGFileHeader {
    /// The way from the file's colours to sRGB for pixels of `format`; nil where they are that already, or
    /// where the profile is broken or says nothing about such pixels.
    func colors(in reader: ByteReader, of format: PixelFormat) -> ICCTransform? {
        guard let profile = Self.profile(in: reader) else { return nil }
        let isGray = colorType == .gray || colorType == .grayAlpha
        let samples: ICCSamples =
            isGray && format.layout == .rgba ? .grayInColor(format.depth) : ICCSamples(format)
        return profile.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0), of: samples) }
    }

    /// What the iCCP chunk holds, expanded; nil without one in its place, which is before palette and pixels.
    static func profile(in reader: ByteReader) -> Data? {
        var chunks = PNGChunks(reader, from: end)
        while let chunk = try? chunks.next(), chunk.type != .PLTE, chunk.type != .IDAT, chunk.type != .IEND {
            if chunk.type == .iCCP { return profile(in: chunk, of: reader) }
        }
        return nil
    }

    /// What an iCCP chunk holds, expanded; nil where it is broken.
    static func profile(in chunk: PNGChunk, of reader: ByteReader) -> Data? {
        // A name of at most 79 letters, which ends with a zero, and the method, of which there is one.
        guard let data = reader.slice(at: chunk.data, count: chunk.length),
            let name = data.bytes.prefix(80).firstIndex(of: 0), data.uint8(at: name + 1) == 0,
            let stream = data.slice(at: name + 2, count: data.count - name - 2)
        else { return nil }
        return PNGText.expanded(stream, atMost: ImageLimits.maximumMetadataBytes)
    }
}
