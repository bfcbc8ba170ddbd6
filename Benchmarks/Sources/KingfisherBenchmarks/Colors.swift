import Foundation
import Kingfisher

/// Operations on colours, by public API. Each makes a new image, which reuses the memory of the previous one.
struct Colors: Workload {
    private let image: Image
    private let change: @Sendable (Image) -> Image

    /// `job` is the name of a blend mode, drawn on an opaque colour, or `controls`.
    init(job: String) throws {
        image = Image(pixels: try DrawnImage.make())
        if let mode = BlendMode.allCases.first(where: { "\($0)" == job }) {
            let canvas = Color(red: 0.9, green: 0.5, blue: 0.2)
            change = { $0.kf.image(withBlendMode: mode, backgroundColor: canvas) }
        } else if job == "controls" {
            change = { $0.kf.adjusted(brightness: 0.05, contrast: 1.2, saturation: 1.5, inputEV: 0.3) }
        } else {
            throw BenchmarkError("unknown blend mode \(job)")
        }
    }

    func run() throws -> Int {
        var opaque = 0
        for _ in 0..<DrawnImage.rounds {
            if change(image).pixels?.samples(x: 7, y: 7)?.last == 255 { opaque += 1 }
        }
        guard opaque == DrawnImage.rounds else { throw BenchmarkError("the image is not opaque") }
        return opaque
    }
}
