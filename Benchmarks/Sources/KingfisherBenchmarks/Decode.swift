import Foundation
import Kingfisher

/// Decodes all pixels of the first frame of a file in memory.
struct Decode: Workload {
    private let data: Data

    init(path: String) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: path))
    }

    private func pixels() throws -> PixelBuffer {
        guard let pixels = try Image.decode(data).pixels else { throw BenchmarkError("not decoded") }
        return pixels
    }

    func run() throws -> Int {
        try pixels().width
    }

    func save(to path: String) throws {
        try pixels().packedRows.write(to: URL(fileURLWithPath: path))
    }
}
