import Foundation
import KingfisherCodecSupport

enum PNMEncoder {
    static func encode(_ pixels: PixelBuffer) throws(ImageCodecError) -> Data {
        let (layout, depth) = (pixels.format.layout, pixels.format.depth)
        let isOpaque = pixels.format.isOpaque
        let straight = PixelFormat(layout: layout, depth: depth, alpha: isOpaque ? .opaque : .straight)
        let pixels = try pixels.converted(to: straight)
        var file = Data(header(of: pixels).utf8)
        let channels = written(straight)
        file.reserveCapacity(file.count + pixels.size.area * channels * depth.rawValue / 8)
        var row = [UInt8](repeating: 0, count: pixels.width * channels * depth.rawValue / 8)
        pixels.withUnsafeBytes { bytes in
            for y in 0..<pixels.height {
                let count = pixels.width * straight.bytesPerPixel
                let start = y * pixels.bytesPerRow
                let source = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                row.withUnsafeMutableBytes { row in
                    switch depth {
                    case .eight: write(source, UInt8.self, layout.channels, channels, to: row)
                    case .sixteen: write(source, UInt16.self, layout.channels, channels, to: row)
                    }
                }
                file.append(contentsOf: row)
            }
        }
        return file
    }

    /// Samples of a pixel in the file. An opaque image is written without its sample of alpha.
    private static func written(_ format: PixelFormat) -> Int {
        format.isOpaque && format.layout != .gray ? format.layout.channels - 1 : format.layout.channels
    }

    private static func header(of pixels: PixelBuffer) -> String {
        let (format, maximum) = (pixels.format, pixels.format.depth == .sixteen ? 65_535 : 255)
        let channels = written(format)
        guard channels % 2 == 0 else {
            return "P\(channels == 3 ? 6 : 5)\n\(pixels.width) \(pixels.height)\n\(maximum)\n"
        }
        let type = channels == 4 ? "RGB_ALPHA" : "GRAYSCALE_ALPHA"
        return "P7\nWIDTH \(pixels.width)\nHEIGHT \(pixels.height)\nDEPTH \(channels)\nMAXVAL \(maximum)\n"
            + "TUPLTYPE \(type)\nENDHDR\n"
    }

    /// Copies the first `channels` of each pixel, with the higher byte first.
    private static func write<Sample: FixedWidthInteger>(
        _ source: UnsafeRawBufferPointer, _ type: Sample.Type, _ stored: Int, _ channels: Int,
        to row: UnsafeMutableRawBufferPointer
    ) {
        let (from, to) = (source.bindMemory(to: Sample.self), row.bindMemory(to: Sample.self))
        var next = 0
        for pixel in stride(from: 0, to: from.count, by: stored) {
            for channel in 0..<channels {
                to[next] = from[pixel &+ channel].bigEndian
                next &+= 1
            }
        }
    }
}
