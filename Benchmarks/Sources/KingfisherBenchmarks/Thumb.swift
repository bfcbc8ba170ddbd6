import Foundation
import Kingfisher

/// Decodes a file in memory to an image of at most 300 x 300 pixels.
struct Thumb: Workload {
    private let data: Data

    init(path: String) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private func thumbnail() throws -> PixelBuffer {
        let size = CGSize(width: 300, height: 300)
        guard let image = KingfisherWrapper<Image>.downsampledImage(data: data, to: size, scale: 1),
            let pixels = image.pixels
        else { throw BenchmarkError("not decoded") }
        return pixels
    }

    func run() throws -> Int {
        try thumbnail().width
    }

    func save(to path: String) throws {
        try thumbnail().packedRGBA.write(to: URL(fileURLWithPath: path))
    }
}

extension PixelBuffer {
    /// The rows without padding, for opaque images, which need no conversion.
    var packedRGBA: Data {
        get throws {
            guard isOpaqueRGBA else { throw BenchmarkError("not opaque RGBA") }
            return packedRows
        }
    }

    /// The rows without padding, in the format of the image.
    var packedRows: Data {
        withUnsafeBytes { bytes in
            (0..<height).reduce(into: Data()) { data, row in
                let start = row * bytesPerRow
                data.append(contentsOf: bytes[start..<start + width * format.bytesPerPixel])
            }
        }
    }

    private var isOpaqueRGBA: Bool {
        if format == .rgba8Opaque { return true }
        guard format == .rgba8Premultiplied || format == .rgba8Straight else { return false }
        return withUnsafeBytes { bytes in
            (0..<height).allSatisfy { row in
                let alphas = stride(from: row * bytesPerRow + 3, to: row * bytesPerRow + width * 4, by: 4)
                return alphas.allSatisfy { bytes[$0] == 255 }
            }
        }
    }
}
