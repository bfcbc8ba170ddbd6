import Foundation
import Kingfisher

/// Draws an image in memory to another: raw RGBA in, an `Image` out.
struct PixelLoops: Workload {
    private let source: Image
    private let draw: @Sendable (Image) -> Image

    /// `resize FILE WIDTH HEIGHT TO_WIDTH TO_HEIGHT`, or `blur` or `sharpen FILE WIDTH HEIGHT RADIUS`.
    init(_ words: [String]) throws {
        let numbers = words.dropFirst(2).compactMap { Int($0) }
        switch (words.first, numbers.count) {
        case ("resize", 4):
            let size = CGSize(width: numbers[2], height: numbers[3])
            draw = { $0.kf.resize(to: size) }
        case ("blur", 3):
            let radius = CGFloat(numbers[2])
            draw = { $0.kf.blurred(withRadius: radius) }
        case ("sharpen", 3):
            let radius = CGFloat(numbers[2])
            draw = { $0.kf.sharpened(radius: radius, amount: 1) }
        default:
            throw BenchmarkError(
                "resize FILE WIDTH HEIGHT TO_WIDTH TO_HEIGHT | blur|sharpen FILE WIDTH HEIGHT RADIUS")
        }
        source = try Self.image(path: words[1], width: numbers[0], height: numbers[1])
    }

    private static func image(path: String, width: Int, height: Int) throws -> Image {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        guard data.count == width * height * 4 else {
            throw BenchmarkError("the file is not \(width)x\(height) RGBA")
        }
        let pixels = try PixelBuffer(width: width, height: height, format: .rgba8Opaque) {
            rows, bytesPerRow in
            for row in 0..<height {
                rows[(row * bytesPerRow)...].copyBytes(
                    from: data[(row * width * 4)..<((row + 1) * width * 4)])
            }
        }
        return Image(pixels: pixels, scale: 1)
    }

    private func drawn() throws -> PixelBuffer {
        guard let pixels = draw(source).pixels, pixels !== source.pixels else {
            throw BenchmarkError("the image was not drawn")
        }
        return pixels
    }

    func run() throws -> Int {
        try drawn().width
    }

    func save(to path: String) throws {
        try drawn().packedRGBA.write(to: URL(fileURLWithPath: path))
    }
}
