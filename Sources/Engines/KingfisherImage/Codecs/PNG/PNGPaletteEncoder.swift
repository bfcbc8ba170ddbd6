import Foundation

/// Encodes an image as PNG with a palette (W3C PNG, third edition, 11.2.2 and 11.3.1.1).
enum PNGPaletteEncoder {
    /// Uses at most `colors` colours, 2...256: exactly the image's colours if there are few enough, otherwise
    /// chosen ones with dithering. 16-bit samples are rounded to 8.
    ///
    /// If the colours are exact, the file is not larger than the file without a palette.
    static func encode(_ pixels: PixelBuffer, colors: Int) throws(ImageCodecError) -> Data {
        let straight = try pixels.converted(to: .rgba8Straight)
        if let exact = IndexedImage(exactly: straight.palettePixels, limit: colors) {
            let indexed = try file(exact, pixels.size)
            let plain = try PNGEncoder.encode(pixels.format.depth == .eight ? pixels : straight)
            return indexed.count <= plain.count ? indexed : plain
        }
        let premultiplied = try pixels.converted(to: .rgba8Premultiplied)
        return try file(
            IndexedImage(dithering: premultiplied.palettePixels, width: pixels.width, limit: colors),
            pixels.size)
    }

    private static func file(_ image: IndexedImage, _ size: PixelSize) throws(ImageCodecError) -> Data {
        // Colours with alpha first, because tRNS may omit the alpha of the last, opaque ones.
        let order = image.colors.indices.sorted { image.colors[$0].w < image.colors[$1].w }
        let colors = order.map { image.colors[$0] }
        var places = [UInt8](repeating: 0, count: colors.count)
        for (place, index) in order.enumerated() { places[index] = UInt8(place) }
        let depth = colors.count <= 2 ? 1 : colors.count <= 4 ? 2 : colors.count <= 16 ? 4 : 8

        var file = PNGEncoder.header(size, bits: depth, .palette)
        file.append(.PLTE, fields: colors.flatMap { [$0.x, $0.y, $0.z] })
        let alphas = colors.map(\.w).prefix { $0 < 255 }
        if !alphas.isEmpty { file.append(.tRNS, fields: Array(alphas)) }
        try file.append(.IDAT) { data throws(ImageCodecError) in
            // Differences between indices mean nothing, so rows are not filtered.
            let stream = PNGDeflate(.whole)
            let length = 1 + (size.width * depth + 7) / 8
            let row = try Scratch(byteCount: length)
            for y in 0..<size.height {
                pack(image.indices[y * size.width..<(y + 1) * size.width], places, depth, into: row)
                try stream.append(row.bytes, count: length, isLast: y == size.height - 1, to: &data)
            }
        }
        file.append(.IEND)
        return file.data
    }

    /// Writes a filter number, 0, and the places of `indices` in `depth` bits, the first in the highest bits.
    private static func pack(
        _ indices: ArraySlice<UInt8>, _ places: [UInt8], _ depth: Int, into row: borrowing Scratch
    ) {
        let perByte = 8 / depth
        row.bytes[0] = 0
        for (x, index) in indices.enumerated() {
            let bits = places[Int(index)] << (8 - depth * (x % perByte + 1))
            let byte = 1 + x / perByte
            row.bytes[byte] = x % perByte == 0 ? bits : row.bytes[byte] | bits
        }
    }
}

extension PixelBuffer {
    /// The pixels of an 8-bit RGBA image, row by row.
    fileprivate var palettePixels: [PalettePixel] {
        var pixels: [PalettePixel] = []
        pixels.reserveCapacity(size.area)
        for y in 0..<height { withPaletteRow(y) { pixels += $0 } }
        return pixels
    }
}
