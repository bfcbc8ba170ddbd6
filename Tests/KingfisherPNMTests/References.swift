import Foundation
import KingfisherPNM
import KingfisherTestSupport
import TestHelpers

/// The fixtures and their references (`Tests/Fixtures/generate/bitmaps.py`).
enum References {
    static let names = ["pbm", "pgm", "ppm", "pam"].flatMap { Fixtures.names(in: "PNM", withExtension: $0) }

    /// The samples by pamdepth, with the channels of the file.
    static func samples(of name: String, depth: PixelFormat.Depth) throws -> [Int] {
        let data = try Fixtures.data(named: name + ".samples")
        switch depth {
        case .eight: return data.map { Int($0) }
        case .sixteen:
            return stride(from: 0, to: data.count, by: 2).map { Int(data[$0]) | Int(data[$0 + 1]) << 8 }
        }
    }
}

extension PixelBuffer {
    /// All samples in reading order.
    var allSamples: [Int] {
        (0..<height).flatMap { y in (0..<width).flatMap { x in samples(x: x, y: y) ?? [] } }
    }

    /// An image of samples in reading order.
    static func make(_ samples: [Int], width: Int, _ format: PixelFormat) throws -> PixelBuffer {
        let perRow = width * format.layout.channels
        return try PixelBuffer(width: width, height: samples.count / perRow, format: format) { rows, stride in
            for (index, sample) in samples.enumerated() {
                let (row, column) = (index / perRow * stride, index % perRow)
                switch format.depth {
                case .eight: rows.storeBytes(of: UInt8(sample), toByteOffset: row + column, as: UInt8.self)
                case .sixteen:
                    rows.storeBytes(of: UInt16(sample), toByteOffset: row + column * 2, as: UInt16.self)
                }
            }
        }
    }
}

extension PNMCodec {
    /// The error of decoding the file; nil if there is an image.
    func refusal(_ text: String, _ bytes: [UInt8] = []) -> ImageCodecError? {
        failure(of: Data(text.utf8) + bytes)
    }
}
