import CGtk
import Foundation
import Kingfisher
import KingfisherImage

extension DrawableTile<Texture> {
    /// Makes a texture of an image; called off the main thread. An overview is shrunk to at least `size`.
    static func texture(of image: Image, shrunkTo size: PixelSize?) -> DrawableTile? {
        guard let pixels = image.kf.normalized.pixels else { return nil }
        let level = size.map { MipLevel(of: pixels.size, covering: $0) } ?? .full
        // Converted first, so that a texture does not retain two forms of its pixels.
        guard let (copy, _) = TextureFormat.drawable(level.copy(of: pixels), for: .current),
            let texture = Texture(copy, level: .full, for: .current)
        else { return nil }
        return DrawableTile(texture, size: copy.size, bytes: copy.byteCount)
    }
}

extension MipLevel {
    /// The smallest level that is at least as large as `needed`.
    fileprivate init(of full: PixelSize, covering needed: PixelSize) {
        guard !full.isEmpty, !needed.isEmpty else { self = .full; return }
        let ratio = min(
            Double(full.width) / Double(needed.width), Double(full.height) / Double(needed.height))
        self.init(steps: max(0, Int((2 * log2(ratio) + 1e-9).rounded(.down))))
    }
}
