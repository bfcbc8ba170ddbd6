import Foundation
import Kingfisher
import KingfisherTestSupport

/// A square JPEG, which the job `encode` makes of tiles of a photograph.
@MainActor struct LargeImage {
    enum Job: String {
        case encode, decode, thumbnail
    }

    private let file: URL
    private let side: Int

    init(_ folder: URL, pixels: Int) {
        file = folder.appending(path: "image.jpg")
        side = Int(Double(pixels).squareRoot())
        // Above the defaults of 100 megapixels and 1 GiB.
        ImageLimits.maximumPixels = 500_000_000
        ImageLimits.maximumFrameBytes = 4 << 30
    }

    func cost(_ job: Job) async throws -> Cost {
        guard job != .encode else { return try await encode() }
        let data = try Data(contentsOf: file)
        return try await Cost.of {
            let image = job == .decode ? try Image.decode(data) : thumbnail(of: data)
            guard image?.pixels?.width == (job == .decode ? side : 300) else {
                throw Failure(description: "not decoded")
            }
            return image
        }
    }

    private func thumbnail(of data: Data) -> Image? {
        DownsamplingImageProcessor(size: CGSize(width: 300, height: 300))
            .process(item: .data(data), options: KingfisherParsedOptionsInfo(nil))
    }

    private func encode() async throws -> Cost {
        let image = Image(pixels: try tiles())
        return try await Cost.of {
            guard let data = image.kf.data(format: .JPEG, compressionQuality: 0.85) else {
                throw Failure(description: "not encoded")
            }
            try data.write(to: file)
        }
    }

    private func tiles() throws -> PixelBuffer {
        guard let photo = try Image.decode(Fixtures.data(named: "Photos/chelsea.jpg")).pixels else {
            throw Failure(description: "the photograph has no pixels")
        }
        let (side, row) = (side, photo.width * photo.format.bytesPerPixel)
        let width = side * photo.format.bytesPerPixel
        return try PixelBuffer(width: side, height: side, format: photo.format) { rows, bytesPerRow in
            photo.withUnsafeBytes { source in
                for y in 0..<side {
                    let line = source[(y % photo.height * photo.bytesPerRow)...].prefix(row)
                    for x in stride(from: 0, to: width, by: row) {
                        let target = rows[(y * bytesPerRow + x)...].prefix(min(row, width - x))
                        UnsafeMutableRawBufferPointer(rebasing: target)
                            .copyBytes(from: line.prefix(target.count))
                    }
                }
            }
        }
    }
}
