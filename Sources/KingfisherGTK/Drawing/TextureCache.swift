import CGtk
import KingfisherImage
import Synchronization

/// One texture for each picture on screen, however many views show it. Safe from any thread.
///
/// The cache holds textures weakly: they live as long as a view shows them, or has them ready to be shown.
final class TextureCache: Sendable {
    static let shared = TextureCache()

    /// Up to so many pixels are looked at or converted while a frame is drawn: at 2 ns each, no more than 0.13 ms.
    static let quickPixels = 1 << 16

    fileprivate struct Entry {
        weak var texture: Texture?
    }

    fileprivate struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var sweepAt = 64
    }

    private let state = Mutex(State())

    /// The texture of `pixels`; nil only when memory is lacking. May take milliseconds, so not for the main thread.
    func texture(for pixels: PixelBuffer) -> Texture? {
        if let texture = existingTexture(for: pixels) { return texture }
        // Made outside the lock: another thread may make the same one, and the first to be kept serves both.
        guard let new = Texture(pixels, for: .current) else { return nil }
        return state.withLock { state in
            let key = ObjectIdentifier(pixels)
            if let texture = state.entries[key]?.texture, texture.source === pixels { return texture }
            state.makeRoom()
            state.entries[key] = Entry(texture: new)
            return new
        }
    }

    /// The texture of `pixels` if it is there, or made in no time; nil when it should be made in the background.
    func quickTexture(for pixels: PixelBuffer) -> Texture? {
        let isQuick =
            TextureFormat.of(pixels.format, for: .current) != nil
            || pixels.width * pixels.height <= Self.quickPixels
        return isQuick ? texture(for: pixels) : existingTexture(for: pixels)
    }

    private func existingTexture(for pixels: PixelBuffer) -> Texture? {
        let texture = state.withLock { $0.entries[ObjectIdentifier(pixels)]?.texture }
        // A dead entry's key may name a new object at the old address, hence the check.
        return texture?.source === pixels ? texture : nil
    }
}

extension TextureCache.State {
    /// Drops the entries of textures that have gone, each time their number may have doubled.
    fileprivate mutating func makeRoom() {
        guard entries.count >= sweepAt else { return }
        entries = entries.filter { $0.value.texture != nil }
        sweepAt = max(64, entries.count * 2)
    }
}
