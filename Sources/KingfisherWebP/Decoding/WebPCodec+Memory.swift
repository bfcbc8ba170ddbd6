public import Foundation
public import KingfisherCodecSupport

extension WebPCodec {
    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        let header = try header(of: data, acceptsPartialImages: true)
        let pixels = header.size.width * header.size.height
        guard header.frameCount == 1 else { return 3 * 4 * pixels }
        guard let target, !header.isLossless else { return 2 * 4 * pixels }
        // Lossy images are scaled row by row while they are decoded; alpha is not.
        let small = min(4 * target.width * target.height * 4, 4 * pixels)
        return small + (header.hasAlpha ? pixels : 0) + Self.lossyWorkBytes
    }

    /// The working memory of libwebp for a lossy image of the maximum width, 16,383 pixels (decision 046: 3
    /// MB).
    private static var lossyWorkBytes: Int { 4 << 20 }
}
