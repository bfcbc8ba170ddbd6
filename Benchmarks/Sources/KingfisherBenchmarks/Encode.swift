import Foundation
import Kingfisher

/// Encodes an image in memory to the bytes of a file, like the cache serializers.
struct Encode: Workload {
    private let image: Image
    private let format: ImageFormat

    /// `name` is png or jpeg; the image is the file at `path`.
    init(as name: String, path: String) throws {
        guard let image = Image(contentsOfFile: path) else { throw BenchmarkError("not decoded") }
        self.image = image
        switch name {
        case "png": format = .PNG
        case "jpeg": format = .JPEG
        default: throw BenchmarkError("encode png|jpeg FILE")
        }
    }

    private func encoded() throws -> Data {
        guard let data = image.kf.data(format: format, compressionQuality: 0.85) else {
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
