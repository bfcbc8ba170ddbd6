import Foundation
import Kingfisher

/// Decodes a file in memory to an image of at most `side` pixels along each side.
struct Thumb: Workload {
    private let data: Data
    private let side: Int
    private let context: DecodingContext

    init(path: String, side: String?, usesIdleCores: Bool) throws {
        guard let side = side.flatMap({ Int($0) }) else { throw BenchmarkError("thumb FILE SIDE") }
        data = try Data(contentsOf: URL(fileURLWithPath: path))
        self.side = side
        context = DecodingContext(usesIdleCores: usesIdleCores)
    }

    private func thumbnail() throws -> PixelBuffer {
        let size = CGSize(width: side, height: side)
        let image = context.run { KingfisherWrapper<Image>.downsampledImage(data: data, to: size, scale: 1) }
        guard let pixels = image?.pixels else { throw BenchmarkError("not decoded") }
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
