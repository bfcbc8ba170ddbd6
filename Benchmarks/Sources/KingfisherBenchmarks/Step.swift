import Foundation
import Kingfisher

/// Runs a step, such as `fit:300x200`, on a file in memory.
struct Step: Workload {
    private let data: Data
    private let processor: any ImageProcessor

    init(path: String, step: String?) throws {
        guard let step else { throw BenchmarkError("step FILE STEP") }
        data = try Data(contentsOf: URL(fileURLWithPath: path))
        processor = try ProcessingStep(step).processor
    }

    private func made() throws -> PixelBuffer {
        let image = processor.process(item: .data(data), options: KingfisherParsedOptionsInfo(nil))
        guard let pixels = image?.pixels else { throw BenchmarkError("not processed") }
        return pixels
    }

    func run() throws -> Int { try made().width }

    func save(to path: String) throws {
        try made().packedRGBA.write(to: URL(fileURLWithPath: path))
    }
}
