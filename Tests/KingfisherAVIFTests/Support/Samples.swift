import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

enum Samples {
    /// Gradients that differ along both axes and per channel, so that every turn changes them.
    static func image(
        _ width: Int = 64, _ height: Int = 48, depth: PixelFormat.Depth = .eight, alpha: Bool = false,
        phase: Int = 0
    ) throws -> PixelBuffer {
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: alpha ? .straight : .opaque)
        return try make(width, height, format) { x, y in
            [
                Double(x) / Double(width), Double(y) / Double(height),
                Double((x * 2 + y + phase * 9) % 40) / 40, alpha ? Double(x + y) / Double(width + height) : 1,
            ]
        }
    }

    /// Waves that are longer than the filters of chroma and of scaling.
    static func smooth(_ width: Int, _ height: Int) throws -> PixelBuffer {
        try make(width, height, .rgba8Opaque) { x, y in
            [
                0.5 + 0.4 * sin(Double(x) / 20), 0.5 + 0.4 * sin(Double(y) / 25),
                0.5 + 0.4 * cos(Double(x + y) / 30), 1,
            ]
        }
    }

    static func flat(_ color: [Double], _ side: Int = 64) throws -> PixelBuffer {
        try make(side, side, .rgba8Opaque) { _, _ in color + [1] }
    }

    private static func make(
        _ width: Int, _ height: Int, _ format: PixelFormat, _ color: (Int, Int) -> [Double]
    ) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: height, format: format) { rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    for (channel, value) in color(x, y).enumerated() {
                        let offset = y * bytesPerRow + (x * 4 + channel) * format.depth.rawValue / 8
                        if format.depth == .eight {
                            rows[offset] = UInt8(value * 255)
                        } else {
                            rows.storeBytes(of: UInt16(value * 65_535), toByteOffset: offset, as: UInt16.self)
                        }
                    }
                }
            }
        }
    }
}

extension Data {
    /// Gives the property of a type that the file has to its second item, alpha, instead of the number of
    /// channels (`pixi`), without which alpha is read as well.
    func givingAlpha(_ type: String) throws -> Data {
        var place = try #require(firstRange(of: Data("ipco".utf8))).upperBound
        var number = UInt8(1)
        while self[place + 4..<place + 8] != Data(type.utf8) {
            place += self[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            try #require(place < count - 8)
            number += 1
        }
        // `ipma` of version 0: items, each with its number and a byte for each property; `pixi` is the
        // second.
        let start = try #require(firstRange(of: Data("ipma".utf8))).upperBound + 8
        var copy = self
        copy[start + 3 + Int(self[start + 2]) + 4] = number | 0x80
        return copy
    }
}

func decode(_ file: Data) throws -> PixelBuffer { try AVIFCodec().decode(file, minimumSize: nil) }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? {
    do throws(ImageCodecError) {
        _ = try AVIFCodec().decode(file, minimumSize: nil)
        return nil
    } catch {
        return error
    }
}
