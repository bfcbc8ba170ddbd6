import CGtk
import Kingfisher
import Synchronization

/// The textures of one view: those that are ready, and those that are being made in the background.
@MainActor final class PreparedTextures {
    private struct Key: Hashable {
        let image: Image
        let level: MipLevel
    }

    private enum Preparation {
        case inProgress
        case done(Texture)
        /// Out of memory; not retried.
        case failed
    }

    var onReady: @MainActor () -> Void = {}
    /// The texture that a load has made for this view, held until it is drawn.
    private let prepared = Mutex<Texture?>(nil)
    private let knownPlacement = Mutex<ImagePlacement?>(nil)
    private var pending: [Key: Preparation] = [:]

    nonisolated var place: ImagePlacement? {
        get { knownPlacement.withLock { $0 } }
        set { knownPlacement.withLock { $0 = newValue } }
    }

    /// Makes the texture of `image`; called off the main thread. Skips a large image whose placement is
    /// unknown, because its level would be wrong.
    nonisolated func prepare(_ image: Image) {
        let demand =
            image.isStill
            ? place.flatMap { PixelDemand(of: image, in: $0) } : PixelDemand(everyPixelOf: image)
        guard let pixels = image.pixels, let demand else { return store(nil) }
        store(TextureCache.shared.texture(for: pixels, level: demand.level))
    }

    private nonisolated func store(_ texture: Texture?) {
        let old = prepared.withLock { stored in
            defer { stored = texture }
            return stored
        }
        withExtendedLifetime(old) {}
    }

    /// Starts to make the texture for `demand` in the background, unless it exists or is quick to make.
    func begin(_ image: Image?, demand: PixelDemand?) {
        guard let image, let pixels = image.pixels, let demand,
            TextureCache.shared.texture(of: pixels, meeting: demand) == nil,
            !TextureCache.isQuick(pixels, level: demand.level)
        else { return }
        makeLater(image, level: demand.level)
    }

    /// The drawable form of `image`, or `old` if that already meets `demand`. A slow texture is made in the
    /// background; until then this returns a copy of another size, or nil if there is none.
    func image(of image: Image?, demand: PixelDemand?, reusing old: DrawableImage?) -> DrawableImage? {
        guard let image, let pixels = image.pixels, let demand else { return nil }
        let old = old?.image === image ? old : nil
        if let old, demand.isMet(by: old.level) { return old }
        if let texture = texture(of: pixels, for: demand) {
            pending = pending.filter { $0.key.image !== image }
            if prepared.withLock({ $0?.source === pixels }) { store(nil) }
            return DrawableImage(image, texture: texture)
        }
        makeLater(image, level: demand.level)
        // The full image is left out: uploading it would block this frame.
        let copy = TextureCache.shared.textures(of: pixels).first { $0.level != .full }
        return old ?? copy.map { DrawableImage(image, texture: $0) }
    }

    private func texture(of pixels: PixelBuffer, for demand: PixelDemand) -> Texture? {
        if let texture = TextureCache.shared.texture(of: pixels, meeting: demand) { return texture }
        let isQuick = TextureCache.isQuick(pixels, level: demand.level)
        return isQuick ? TextureCache.shared.texture(for: pixels, level: demand.level) : nil
    }

    func forget() {
        pending = [:]
        store(nil)
    }

    func isPreparing(_ image: Image?) -> Bool {
        pending.contains { key, state in
            if case .inProgress = state { key.image === image } else { false }
        }
    }

    private func makeLater(_ image: Image, level: MipLevel) {
        let key = Key(image: image, level: level)
        guard pending[key] == nil else { return }
        // A view draws at most two images, one level of each, so any other entry was cancelled.
        pending = pending.filter { $0.key.image !== image }
        if pending.count > 1 { pending = [:] }
        pending[key] = .inProgress
        Task.detached(priority: .userInitiated) { [weak self] in
            let texture = image.pixels.flatMap { TextureCache.shared.texture(for: $0, level: level) }
            await self?.receive(texture, for: key)
        }
    }

    private func receive(_ texture: Texture?, for key: Key) {
        guard pending[key] != nil else { return }
        pending[key] = texture.map { .done($0) } ?? .failed
        onReady()
    }
}
