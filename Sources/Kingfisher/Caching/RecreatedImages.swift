import KingfisherConcurrency
import KingfisherImage

/// Animations that were recreated from the one in memory, because a request has other decoding options.
///
/// They are held weakly and not stored. Concurrent equal requests share one recreation, and later ones get
/// the same image while it is in use. So views share the frames of an animation. Safe from any thread.
final class RecreatedImages: Sendable {
    typealias Completion = @Sendable (KFCrossPlatformImage?) -> Void

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
    private let operations = SingleFlight<Key, KFCrossPlatformImage?>(abandoned: nil)

    var count: Int { images.count }

    func image(_ key: Key, of original: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        images.entries(forKey: key).first { $0.value.original === original }?.object
    }

    /// Calls `completion` with the image recreated from `original`, or nil if `work` fails. Runs on this
    /// thread, or on the thread that is recreating an equal image already.
    func make(
        _ key: Key, of original: KFCrossPlatformImage, with work: () -> KFCrossPlatformImage?,
        completion: @escaping Completion
    ) {
        operations.run(key) { leader in
            // Another request may have just recreated it.
            let image = self.image(key, of: original) ?? work()
            if let image { images.update(image, forKey: key) { _ in Source(original: original) } }
            leader.complete(image, keeping: .none)
        } completion: {
            // Retained until here, so that its address in the key is not reused.
            withExtendedLifetime(original) {}
            completion($0)
        }
    }
}
