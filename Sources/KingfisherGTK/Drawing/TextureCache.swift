import CGtk
import KingfisherImage
import Synchronization

/// One texture for each image on screen and each level of it, however many views show it. Safe from any
/// thread.
///
/// The cache holds textures weakly: they live as long as a view shows them, or has them ready to be shown.
final class TextureCache: Sendable {
    static let shared = TextureCache()

    /// Up to so many pixels are looked at or converted while a frame is drawn: at 2 ns each, no more than
    /// 0.13 ms.
    static let quickPixels = 1 << 16

    fileprivate struct Entry {
        weak var texture: Texture?
    }

    fileprivate struct State {
        /// The levels of each image, by the address of its pixels.
        var entries: [ObjectIdentifier: [Entry]] = [:]
        var sweepAt = 64
    }

    private let state = Mutex(State())

    /// The texture of `pixels` at `level`; nil only when memory is lacking. May take milliseconds, so not for
    /// the main thread unless `isQuick`.
    func texture(for pixels: PixelBuffer, level: MipLevel = .full) -> Texture? {
        if let texture = textures(of: pixels).first(where: { $0.level == level }) { return texture }
        // Made outside the lock: another thread may make the same one, and the first to be kept serves both.
        guard let new = Texture(pixels, level: level, for: .current) else { return nil }
        return state.withLock { state in
            let textures = state.textures(of: pixels)
            if let texture = textures.first(where: { $0.level == level }) { return texture }
            state.makeRoom()
            state.entries[ObjectIdentifier(pixels)] = (textures + [new]).map(Entry.init)
            return new
        }
    }

    /// Whether the texture of `pixels` at `level` is made in no time.
    static func isQuick(_ pixels: PixelBuffer, level: MipLevel) -> Bool {
        level == .full
            && (TextureFormat.of(pixels.format, for: .current) != nil
                || pixels.width * pixels.height <= quickPixels)
    }

    /// The textures of `pixels` that are there, of whatever level.
    func textures(of pixels: PixelBuffer) -> [Texture] {
        state.withLock { $0.textures(of: pixels) }
    }

    /// A texture that is there and meets `demand`, best in the level that would be made for it.
    func texture(of pixels: PixelBuffer, meeting demand: PixelDemand) -> Texture? {
        let textures = textures(of: pixels)
        return textures.first { $0.level == demand.level } ?? textures.first { demand.isMet(by: $0.level) }
    }
}

extension TextureCache.State {
    /// A dead entry's key may name a new object at the old address, hence the check.
    fileprivate func textures(of pixels: PixelBuffer) -> [Texture] {
        entries[ObjectIdentifier(pixels), default: []].compactMap(\.texture).filter { $0.source === pixels }
    }

    /// Drops the entries of images that have gone, each time their number may have doubled.
    fileprivate mutating func makeRoom() {
        guard entries.count >= sweepAt else { return }
        entries = entries.filter { $0.value.contains { $0.texture != nil } }
        sweepAt = max(64, entries.count * 2)
    }
}
