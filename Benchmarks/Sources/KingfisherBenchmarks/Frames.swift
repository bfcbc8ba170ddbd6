import Foundation
import Kingfisher

/// Decodes and composes the frames of an animation in memory, one after another, like a view that plays it.
struct Frames: Workload {
    private let data: Data
    private let isFirstOnly: Bool

    init(path: String, isFirstOnly: Bool = false) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: path))
        self.isFirstOnly = isFirstOnly
    }

    private func forEach(_ body: (PixelBuffer) throws -> Void) throws {
        guard let image = KingfisherWrapper<Image>.image(data: data, options: ImageCreatingOptions()),
            let first = image.pixels
        else { throw BenchmarkError("not decoded") }
        if isFirstOnly { return try body(first) }
        guard let source = image.kf.frameSource else { throw BenchmarkError("not animated") }
        for number in 0..<source.frameCount {
            guard let frame = source.frame(at: number) else { throw BenchmarkError("no frame \(number)") }
            try body(frame)
        }
    }

    func run() throws -> Int {
        var pixels = 0
        try forEach { pixels += $0.width * $0.height }
        return pixels
    }

    func save(to path: String) throws {
        var rows = Data()
        try forEach { rows += try $0.packedRGBA }
        try rows.write(to: URL(fileURLWithPath: path))
    }
}
