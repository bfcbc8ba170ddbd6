import Foundation
import Kingfisher

/// Encodes an image in memory to the bytes of a file, like the cache serializers.
struct Encode: Workload {
    private let image: Image
    private let format: ImageFormat
    private let quality: Double

    /// `name` is the name of a format in lower case, and `quality` a number up to 100, for lossy formats; the
    /// image is the file at `path`.
    init(as name: String, path: String, quality: String?) throws {
        guard let image = Image(contentsOfFile: path) else { throw BenchmarkError("not decoded") }
        self.image = image
        format = ImageFormat(name: name.uppercased())
        self.quality = quality.flatMap { Double($0) }.map { $0 / 100 } ?? 1
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
