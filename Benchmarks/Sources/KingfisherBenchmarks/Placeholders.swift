import Foundation
import Kingfisher

/// Encodes decoded pixels as a placeholder hash, and decodes the hash to an image of 32 pixels,
/// by public API.
struct Placeholders: Workload {
    private let rounds: Int
    private let image: Image
    private let roundTrip: @Sendable (Image) throws -> Image

    init(kind: String, path: String, rounds: Int) throws {
        self.rounds = rounds
        image = try Image.decode(Data(contentsOf: URL(filePath: path)))
        switch kind {
        case "blurhash":
            roundTrip = { image in
                let text = try BlurHash(of: image, components: (4, 3)).string
                return try BlurHash(text).image(size: PixelSize(width: 32, height: 32))
            }
        case "thumbhash":
            roundTrip = { image in
                let text = try ThumbHash(of: image).base64
                return try ThumbHash(base64: text).image(longerSide: 32)
            }
        default: throw BenchmarkError("unknown hash \(kind)")
        }
    }

    func run() throws -> Int {
        var width = 0
        for _ in 0..<rounds { width += try roundTrip(image).pixels?.width ?? 0 }
        guard width == 32 * rounds else { throw BenchmarkError("the image has another size") }
        return width
    }
}
