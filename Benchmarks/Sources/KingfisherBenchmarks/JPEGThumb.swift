import Foundation
import Kingfisher

/// A JPEG file in memory to a picture of at most 300 x 300 pixels.
struct JPEGThumb: Workload {
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
        let pixels = try thumbnail()
        guard pixels.format == .rgba8Opaque else { throw BenchmarkError("not opaque RGBA") }
        let packed = pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).reduce(into: Data()) { data, row in
                let start = row * pixels.bytesPerRow
                data.append(contentsOf: bytes[start..<start + pixels.width * 4])
            }
        }
        try packed.write(to: URL(fileURLWithPath: path))
    }
}
