import Foundation
import Kingfisher

/// Runs a step, such as `blur:10`, on an image of 1000 x 1000 opaque pixels with 8 or 16 bits.
struct Depth: Workload {
    private let image: Image
    private let processor: any ImageProcessor

    init(bits: String, step: String?) throws {
        guard let step, let bits = Int(bits), let depth = PixelFormat.Depth(rawValue: bits) else {
            throw BenchmarkError("depth 8|16 STEP")
        }
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: .opaque)
        image = Image(pixels: try DrawnImage.make().converted(to: format))
        let mark = WatermarkImageProcessor.Mark(Image(pixels: try DrawnImage.make()), name: "mark")
        guard let processor = try [ProcessingStep(step)].processor(watermarks: ["mark": mark]) else {
            throw BenchmarkError("no step")
        }
        self.processor = processor
    }

    func run() throws -> Int {
        let options = KingfisherParsedOptionsInfo(nil)
        let made = processor.process(item: .image(image), options: options)?.pixels
        guard let made, made !== image.pixels, made.bitsPerComponent == image.pixels?.bitsPerComponent else {
            throw BenchmarkError("the image was not drawn, or lost its depth")
        }
        return made.width
    }
}
