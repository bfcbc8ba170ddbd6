import KingfisherImage
import KingfisherStorage

/// What a placeholder made from a hash shows.
struct HashContent: Sendable {
    /// Identifies the decoded image in memory.
    let key: String
    let averageColor: Color
    let contentMode: ViewContentMode
    let decode: @Sendable () throws -> Image
}

extension HashContent {
    init(_ hash: BlurHash, punch: Double) {
        self.init(
            key: "blur \(punch) \(hash)", averageColor: hash.averageColor, contentMode: .scaleToFill,
            decode: { try hash.image(punch: punch) })
    }

    init(_ hash: ThumbHash) {
        self.init(
            key: "thumb \(hash)", averageColor: hash.averageColor, contentMode: .scaleAspectFill,
            decode: { try hash.image() })
    }
}

/// Shows the average colour of a hash at once, and the decoded hash when a background task has made it.
@MainActor final class HashPlaceholderView: ImageView {
    /// Decoded hashes, about a thousand, so that a recycled view of a list shows them at once.
    nonisolated private static let decodedImages = MemoryEngine<Image, LeastRecentlyUsed>(
        limits: MemoryLimits(cost: 4 << 20), sweepInterval: 0, policy: LeastRecentlyUsed())

    private var decoding: Task<Void, Never>?

    init(_ content: HashContent) {
        super.init(image: nil)
        contentMode = content.contentMode
        if let image = Self.decodedImages.value(for: content.key) {
            self.image = image
            return
        }
        image = content.averageImage
        decoding = Task.detached(priority: .userInitiated) { [weak self] in
            guard !Task.isCancelled, let image = content.decodedImage else { return }
            Self.decodedImages.store(image, cost: image.cacheCost, for: content.key)
            await self?.show(image)
        }
    }

    /// Decorative: its superview is the image.
    override var accessibility: ViewAccessibility { ViewAccessibility(role: .group, label: "") }

    /// Also cancels decoding.
    override func removeFromSuperview() {
        // Also called for a view without a superview, when it is inserted.
        guard superview != nil else { return }
        decoding?.cancel()
        decoding = nil
        super.removeFromSuperview()
    }

    private func show(_ image: Image) {
        guard decoding != nil else { return }
        decoding = nil
        self.image = image
    }
}

extension HashContent {
    /// A subview, because the image view itself has no image while it loads.
    @MainActor func add(to imageView: ImageView) {
        let view = HashPlaceholderView(self)
        view.placement = .fill
        imageView.insertSubview(view, at: 0)
    }

    @MainActor func remove(from imageView: ImageView) {
        for view in imageView.subviews where view is HashPlaceholderView { view.removeFromSuperview() }
    }

    /// One pixel. A point is the natural size of both images: a placeholder must not change the layout.
    fileprivate var averageImage: Image? {
        let color = averageColor.premultipliedRGBA8
        let pixels = try? PixelBuffer(width: 1, height: 1, format: .rgba8Premultiplied) { rows, _ in
            rows.storeBytes(of: color, as: SIMD4<UInt8>.self)
        }
        return pixels.map { Image(pixels: $0) }
    }

    fileprivate var decodedImage: Image? {
        guard let pixels = try? decode().pixels else { return nil }
        return Image(pixels: pixels, scale: CGFloat(max(pixels.width, pixels.height)))
    }
}
