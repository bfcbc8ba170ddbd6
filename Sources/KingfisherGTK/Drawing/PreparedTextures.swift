import CGtk
import Kingfisher
import Synchronization

/// The images of one view that are ready to be drawn, and those that are being readied in the background.
@MainActor final class PreparedTextures {
    private struct Late: Hashable {
        let image: Image
        let level: MipLevel
    }

    private enum Preparation {
        case inProgress
        case done(Texture)
        /// For lack of memory; not tried again.
        case failed
    }

    /// Called when an image that was missing can be drawn, or turns out never to be.
    var onReady: @MainActor () -> Void = {}
    /// The texture that a load has made for this view, kept until it is drawn.
    private let prepared = Mutex<Texture?>(nil)
    private let knownPlace = Mutex<ImagePlacement?>(nil)
    /// Textures that were missed.
    private var late: [Late: Preparation] = [:]

    /// Where images that are loaded from now on will be shown, as far as is known.
    nonisolated var place: ImagePlacement? {
        get { knownPlace.withLock { $0 } }
        set { knownPlace.withLock { $0 = newValue } }
    }

    /// Makes the texture of `image`; called off the main thread. Of a large one whose place is unknown none
    /// is made, as it would be the wrong one.
    nonisolated func prepare(_ image: Image) {
        let demand =
            image.isStill
            ? place.flatMap { PixelDemand(of: image, in: $0) } : PixelDemand(everyPixelOf: image)
        guard let pixels = image.pixels, let demand else { return keep(nil) }
        keep(TextureCache.shared.texture(for: pixels, level: demand.level))
    }

    private nonisolated func keep(_ texture: Texture?) {
        let old = prepared.withLock { kept in
            defer { kept = texture }
            return kept
        }
        withExtendedLifetime(old) {}
    }

    /// Has what `demand` needs of `image` made in the background, unless it is there or made in no time.
    func begin(_ image: Image?, demand: PixelDemand?) {
        guard let image, let pixels = image.pixels, let demand,
            TextureCache.shared.texture(of: pixels, meeting: demand) == nil,
            !TextureCache.isQuick(pixels, level: demand.level)
        else { return }
        makeLater(image, level: demand.level)
    }

    /// `image` ready to be drawn, `old` where that meets `demand` already. One that would take long is made
    /// in the background; until then a copy that is too small or too large has to do, and without any there
    /// is nil.
    func image(of image: Image?, demand: PixelDemand?, reusing old: DrawableImage?) -> DrawableImage? {
        guard let image, let pixels = image.pixels, let demand else { return nil }
        let old = old?.image === image ? old : nil
        if let old, demand.isMet(by: old.level) { return old }
        if let texture = texture(of: pixels, for: demand) {
            late = late.filter { $0.key.image !== image }
            if prepared.withLock({ $0?.source === pixels }) { keep(nil) }
            return DrawableImage(image, texture: texture)
        }
        makeLater(image, level: demand.level)
        // The image itself would be taken over in this frame.
        let copy = TextureCache.shared.textures(of: pixels).first { $0.level != .full }
        return old ?? copy.map { DrawableImage(image, texture: $0) }
    }

    private func texture(of pixels: PixelBuffer, for demand: PixelDemand) -> Texture? {
        if let texture = TextureCache.shared.texture(of: pixels, meeting: demand) { return texture }
        let isQuick = TextureCache.isQuick(pixels, level: demand.level)
        return isQuick ? TextureCache.shared.texture(for: pixels, level: demand.level) : nil
    }

    /// Lets go of everything, when nothing of it will be drawn soon.
    func forget() {
        late = [:]
        keep(nil)
    }

    /// Whether `image` is on its way: nothing of it can be drawn yet, but soon.
    func isPreparing(_ image: Image?) -> Bool {
        late.contains { key, state in
            if case .inProgress = state { key.image === image } else { false }
        }
    }

    private func makeLater(_ image: Image, level: MipLevel) {
        let key = Late(image: image, level: level)
        guard late[key] == nil else { return }
        // A view draws two images at most, one level of each, so what else is here was given up.
        late = late.filter { $0.key.image !== image }
        if late.count > 1 { late = [:] }
        late[key] = .inProgress
        Task.detached(priority: .userInitiated) { [weak self] in
            let texture = image.pixels.flatMap { TextureCache.shared.texture(for: $0, level: level) }
            await self?.receive(texture, for: key)
        }
    }

    private func receive(_ texture: Texture?, for key: Late) {
        guard late[key] != nil else { return }
        late[key] = texture.map { .done($0) } ?? .failed
        onReady()
    }
}
