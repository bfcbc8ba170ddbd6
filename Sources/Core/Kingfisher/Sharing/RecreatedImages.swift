import KingfisherConcurrency
import KingfisherImage

/// Animations that were recreated from the one in memory, because a request has other decoding options.
///
/// They are held weakly and not stored, so that views with equal options share the frames of an animation
/// while it is in use. Safe from any thread.
final class RecreatedImages: Sendable {
    struct Key: Hashable, Sendable {
        private let computedKey: BytewiseString
        private let original: ObjectIdentifier
        private let options: ImageCreatingOptions

        init(_ computedKey: String, _ original: KFCrossPlatformImage, _ options: ImageCreatingOptions) {
            self.computedKey = BytewiseString(computedKey)
            self.original = ObjectIdentifier(original)
            self.options = options.ofAnimation
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(original)
        }
    }

    private struct Source: Sendable {
        /// Compared in addition to the address in the key, which another image may reuse.
        weak var original: KFCrossPlatformImage?
    }

    private let images = WeakTable<Key, KFCrossPlatformImage, Source>(leastEntries: 16)

    var count: Int { images.count }

    func image(_ key: Key, of original: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        images.entries(forKey: key).first { $0.value.original === original }?.object
    }

    func add(_ image: KFCrossPlatformImage, _ key: Key, of original: KFCrossPlatformImage) {
        images.update(image, forKey: key) { _ in Source(original: original) }
    }
}
