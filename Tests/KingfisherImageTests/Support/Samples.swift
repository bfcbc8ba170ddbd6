import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers

/// Pixels as plain arrays, for comparisons.
enum Samples {
    /// 8-bit premultiplied RGBA of any 8-bit buffer, without row padding.
    static func premultiplied(_ pixels: PixelBuffer) -> [UInt8] {
        var result: [UInt8] = []
        for pixel in all(pixels) {
            let (gray, alpha) = (pixel[0], pixel.count % 2 == 0 ? pixel[pixel.count - 1] : 255)
            let colors = pixel.count < 3 ? [gray, gray, gray] : Array(pixel[0..<3])
            let scale = pixels.format.alpha == .straight ? alpha : 255
            result += colors.map { UInt8(($0 * scale + 127) / 255) } + [UInt8(alpha)]
        }
        return result
    }

    /// 8-bit premultiplied RGBA of straight RGBA bytes.
    static func premultiplied(straight bytes: Data) -> [UInt8] {
        let bytes = [UInt8](bytes)
        return bytes.indices.map { index in
            index % 4 == 3 ? bytes[index] : UInt8((Int(bytes[index]) * Int(bytes[index | 3]) + 127) / 255)
        }
    }

    /// The samples of every pixel, row by row.
    static func all(_ pixels: PixelBuffer) -> [[Int]] {
        (0..<pixels.height).flatMap { y in
            (0..<pixels.width).map { x in pixels.samples(x: x, y: y) ?? [] }
        }
    }

    /// A buffer of 8- or 16-bit samples given pixel by pixel.
    static func buffer(_ width: Int, _ format: PixelFormat, _ samples: [Int]) throws -> PixelBuffer {
        try .make(samples, width: width, format: format)
    }
}

extension Data {
    /// The offset of the first `bytes`, from `start` on.
    func offset(of bytes: [UInt8], from start: Int = 0) -> Int? {
        range(of: Data(bytes), in: start..<count)?.lowerBound
    }

    /// A PNG whose IHDR declares another size, with a valid checksum.
    func promising(pngWidth width: UInt32, height: UInt32) -> Data {
        func bytes(_ value: UInt32) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        let copy = replacing(bytes(width) + bytes(height), at: 16)
        return copy.replacing(bytes(CRC32.checksum(copy[12..<29])), at: 29)
    }

    /// A JPEG whose frame header declares another size.
    func promising(jpegWidth width: UInt16, height: UInt16) throws -> Data {
        let frame =
            try [0xC0, 0xC2].compactMap { offset(of: [0xFF, $0]) }.first
            ?? { throw CocoaError(.featureUnsupported) }()
        return replacing(
            [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)], at: frame + 5)
    }
}

/// PNG's checksum, bit by bit.
enum CRC32 {
    static func checksum(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }
}
