import KingfisherConcurrency
import KingfisherImage

/// Images that were made again from the bytes of one in memory, because a request wanted them made with other
/// options.
///
/// They are not stored, but equal ones are made once: a request that comes while one is being made waits for
/// it, and one that comes while it is in use gets the same. So views share an animation's frames however it
/// came to memory. Safe from any thread.
final class RecreatedImages: Sendable {
    typealias Completion = @Sendable (KFCrossPlatformImage?) -> Void

    /// Which image was made again, and how.
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
        /// Another image may have its address once it is released.
        weak var original: KFCrossPlatformImage?
    }

    private let made = WeakTable<Key, KFCrossPlatformImage, Source>(leastEntries: 16)
    private let making = SingleFlight<Key, KFCrossPlatformImage?>(abandoned: nil)

    /// Entries, those of released images included.
    var count: Int { made.count }

    /// The image made of `original`, while it is in use.
    func image(_ key: Key, of original: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        made.entries(forKey: key).first { $0.value.original === original }?.object
    }

    /// Has `completion` called with the image made of `original`, nil where that fails: on this thread where
    /// `work` makes it, or it is there; otherwise on the thread that is making it already.
    func make(
        _ key: Key, of original: KFCrossPlatformImage, with work: () -> KFCrossPlatformImage?,
        completion: @escaping Completion
    ) {
        making.run(key) { leader in
            // Another one may just have been made.
            let image = self.image(key, of: original) ?? work()
            if let image { made.update(image, forKey: key) { _ in Source(original: original) } }
            leader.complete(image, keeping: .none)
        } completion: {
            // The original is not released, and its address not used again, before that.
            withExtendedLifetime(original) {}
            completion($0)
        }
    }
}
