import Foundation
import Kingfisher
import KingfisherAVIF

/// Encodes an image in memory to the bytes of a file, like the cache serializers.
struct Encode: Workload {
    private let image: Image
    private let format: ImageFormat
    private let quality: Double

    /// `name` is png, jpeg or avif; the image is the file at `path`.
    init(as name: String, path: String) throws {
        guard let image = Image(contentsOfFile: path) else { throw BenchmarkError("not decoded") }
        self.image = image
        quality = name == "avif" ? 0.75 : 0.85
        switch name {
        case "png": format = .PNG
        case "jpeg": format = .JPEG
        case "avif": format = .avif
        default: throw BenchmarkError("encode png|jpeg|avif FILE")
        }
    }

    private func encoded() throws -> Data {
        guard let data = image.kf.data(format: format, compressionQuality: quality) else {
            throw BenchmarkError("not encoded")
        }
        return data
    }

    func run() throws -> Int {
        try encoded().count
    }

    func save(to path: String) throws {
        try encoded().write(to: URL(fileURLWithPath: path))
    }
}
