package import Foundation
import KingfisherImage
import Testing

/// JPEG files of any height, whose rows of MCUs repeat. Encoding as many pixels would take too long.
package enum TallJPEG {
    /// - Parameter rows: Rows of MCUs, of 16 pixels.
    package static func make(width: Int, rows: Int, contrast: Double = 0.3) throws -> Data {
        let strips = try (0..<3).map { number in
            var options = ImageEncodingOptions()
            (options.quality, options.chroma) = (0.85, .quarter)
            let pixels = try TestImages.make(width, 16, .rgba8Opaque) { x, y in
                let noise = Double((x * 7919 + y * 104_729 + number * 31 + x * y) % 97) / 97
                let value = (0.5 + 0.3 * sin(Double(x + number * 9) / 40)) * (1 - contrast) + noise * contrast
                return [value, Double(number + 1) / 4, 1 - value, 1]
            }
            return [UInt8](try JPEGCodec().encode(pixels, options: options))
        }
        return try join(strips, rows: rows, interval: (width + 15) / 16)
    }

    /// The header of the first strip with another height and a restart interval, and the data of all.
    private static func join(_ strips: [[UInt8]], rows: Int, interval: Int) throws -> Data {
        var header = try #require(strips.first)
        let (frame, scan) = try places(in: header)
        let height = rows * 16
        (header[frame + 5], header[frame + 6]) = (UInt8(height >> 8), UInt8(height & 255))
        let scanHeader = header[scan..<scan + 2 + Int(header[scan + 3])]
        var data = Data(header[..<scan])
        data += [0xFF, 0xDD, 0, 4, UInt8(interval >> 8), UInt8(interval & 255)] + scanHeader
        let bodies = try strips.map { strip in
            let start = try places(in: strip).scan
            return strip[(start + scanHeader.count)..<(strip.count - 2)]
        }
        for row in 0..<rows {
            if row > 0 { data += [0xFF, 0xD0 + UInt8((row - 1) % 8)] }
            data += bodies[(row * row + row / 5) % bodies.count]
        }
        return data + [0xFF, 0xD9]
    }

    /// Where the markers of the frame and of the scan are.
    package static func places(in file: [UInt8]) throws -> (frame: Int, scan: Int) {
        var (offset, frame) = (2, 0)
        while offset + 4 < file.count {
            if file[offset + 1] == 0xC0 { frame = offset }
            if file[offset + 1] == 0xDA { return (frame, offset) }
            offset += 2 + Int(file[offset + 2]) << 8 + Int(file[offset + 3])
        }
        throw ImageCodecError.truncated
    }

    /// A file with an EXIF orientation.
    package static func turned(_ file: Data, _ orientation: UInt8) -> Data {
        let exif: [UInt8] =
            Array("Exif\0\0MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation]
            + [0, 0, 0, 0, 0, 0]
        return file.prefix(2) + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + file.dropFirst(2)
    }
}
