import CGtk
import KingfisherImage
import Synchronization

/// Holds one texture for each visible image and level, shared by all views. Safe from any thread.
///
/// References are weak: a texture lives as long as a view shows it or has it prepared.
final class TextureCache: Sendable {
    static let shared = TextureCache()

    /// An image of at most this many pixels is converted while a frame is drawn: 2 ns each, at most 0.13 ms.
    static let quickPixels = 1 << 16

    fileprivate struct Entry {
        weak var texture: Texture?
    }

    fileprivate struct State {
        var entries: [ObjectIdentifier: [Entry]] = [:]
        var sweepAt = 64
    }

    private let state = Mutex(State())

    /// The texture of `pixels` at `level`; nil only if there is not enough memory. May take milliseconds:
    /// call it on the main thread only if `isQuick`.
    func texture(for pixels: PixelBuffer, level: MipLevel = .full) -> Texture? {
        if let texture = textures(of: pixels).first(where: { $0.level == level }) { return texture }
        // Created outside the lock: if two threads make the same texture, both get the first that is stored.
        guard let new = Texture(pixels, level: level, for: .current) else { return nil }
        return state.withLock { state in
            let textures = state.textures(of: pixels)
            if let texture = textures.first(where: { $0.level == level }) { return texture }
            state.removeDeadEntries()
            state.entries[ObjectIdentifier(pixels)] = (textures + [new]).map(Entry.init)
            return new
        }
    }

    static func isQuick(_ pixels: PixelBuffer, level: MipLevel) -> Bool {
        level == .full
            && (TextureFormat.of(pixels.format, for: .current) != nil
                || pixels.width * pixels.height <= quickPixels)
    }

    func textures(of pixels: PixelBuffer) -> [Texture] {
        state.withLock { $0.textures(of: pixels) }
    }

    func texture(of pixels: PixelBuffer, meeting demand: PixelDemand) -> Texture? {
        let textures = textures(of: pixels)
        return textures.first { $0.level == demand.level } ?? textures.first { demand.isMet(by: $0.level) }
    }
}

extension TextureCache.State {
    /// A dead entry may have the address of a new object, hence the comparison.
    fileprivate func textures(of pixels: PixelBuffer) -> [Texture] {
        entries[ObjectIdentifier(pixels), default: []].compactMap(\.texture).filter { $0.source === pixels }
    }

    fileprivate mutating func removeDeadEntries() {
        guard entries.count >= sweepAt else { return }
        entries = entries.filter { $0.value.contains { $0.texture != nil } }
        sweepAt = max(64, entries.count * 2)
    }
}
