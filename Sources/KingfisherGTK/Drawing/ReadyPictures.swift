import CGtk
import KingfisherImage
import Synchronization

/// The pictures of one view that are ready to be drawn, and those that are being readied in the background.
@MainActor final class ReadyPictures {
    /// The texture that a load has made for this view, kept until it is drawn.
    private let prepared = Mutex<Texture?>(nil)
    /// Textures that were missed while drawing; nil while they are being made.
    private var late: [Image: Texture?] = [:]
    private let onReady: @MainActor () -> Void

    /// `onReady` is called when a picture that was missing can be drawn.
    nonisolated init(onReady: @escaping @MainActor () -> Void) {
        self.onReady = onReady
    }

    /// Makes the texture of `image`; called off the main thread.
    nonisolated func prepare(_ image: Image) {
        keep(image.pixels.flatMap(TextureCache.shared.texture))
    }

    private nonisolated func keep(_ texture: Texture?) {
        let old = prepared.withLock { kept in
            defer { kept = texture }
            return kept
        }
        withExtendedLifetime(old) {}
    }

    /// `image` ready to be drawn, `old` where that shows it already. Nil without a picture, and for one that would
    /// take long: that is made in the background.
    func picture(of image: Image?, reusing old: Picture?) -> Picture? {
        guard let image, let pixels = image.pixels else { return nil }
        if let old, old.image === image { return old }
        guard let texture = TextureCache.shared.quickTexture(for: pixels) else {
            makeLater(image)
            return nil
        }
        late[image] = nil
        if prepared.withLock({ $0?.source === pixels }) { keep(nil) }
        return Picture(image, texture: texture)
    }

    /// Lets go of everything, when nothing of it will be drawn soon.
    func forget() {
        late = [:]
        keep(nil)
    }

    private func makeLater(_ image: Image) {
        guard late.index(forKey: image) == nil else { return }
        // A view draws two pictures at most, so what else is here was given up.
        if late.count > 1 { late = [:] }
        late.updateValue(nil, forKey: image)
        Task.detached(priority: .userInitiated) { [weak self] in
            let texture = image.pixels.flatMap(TextureCache.shared.texture)
            await self?.receive(texture, of: image)
        }
    }

    private func receive(_ texture: Texture?, of image: Image) {
        guard let texture, late.index(forKey: image) != nil else { return }
        late.updateValue(texture, forKey: image)
        onReady()
    }
}
