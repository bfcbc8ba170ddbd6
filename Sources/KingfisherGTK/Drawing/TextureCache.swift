import KingfisherImage

/// One texture for each picture on screen, however many views show it.
///
/// The cache holds textures weakly: they live as long as a view shows them.
@MainActor final class TextureCache {
    static let shared = TextureCache()

    private struct Entry {
        weak var texture: Texture?
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sweepAt = 64

    /// The texture of `pixels`; nil only when memory is lacking.
    func texture(for pixels: PixelBuffer) -> Texture? {
        let key = ObjectIdentifier(pixels)
        // A dead entry's key may name a new object at the old address, hence the check.
        if let texture = entries[key]?.texture, texture.source === pixels { return texture }
        guard let texture = Texture(pixels) else { return nil }
        if entries.count >= sweepAt {
            entries = entries.filter { $0.value.texture != nil }
            sweepAt = max(64, entries.count * 2)
        }
        entries[key] = Entry(texture: texture)
        return texture
    }
}
