import Foundation
import KingfisherConcurrency
import KingfisherImage

/// The images that views show, by computed key, so that a request finds an image that memory has evicted.
///
/// Memory must forget an image here when it removes or replaces it, but not when it evicts it: while a view
/// shows the image, evicting it frees nothing. Holds images weakly. Safe from any thread.
final class DisplayedImages: Sendable {
    /// The value is the date at which memory would expire the image.
    private let images = WeakTable<BytewiseString, KFCrossPlatformImage, Date>()

    func note(_ image: KFCrossPlatformImage, forKey computedKey: String, until expiration: Date) {
        images.update(image, forKey: BytewiseString(computedKey)) { _ in expiration }
    }

    func image(forKey computedKey: String, at now: Date) -> KFCrossPlatformImage? {
        images.entries(forKey: BytewiseString(computedKey)).last { $0.value > now }?.object
    }

    func forget(_ computedKey: String) {
        images.removeAll(forKey: BytewiseString(computedKey))
    }

    func forgetAll() {
        images.removeAll()
    }

    var all: [(computedKey: String, image: KFCrossPlatformImage)] {
        images.keyedObjects.map { (computedKey: $0.key.text, image: $0.object) }
    }
}

extension ImageCache {
    /// Notes that a view shows `image`, the result of a request for `key`. Callable from any thread.
    func noteDisplay(
        of image: KFCrossPlatformImage, forKey key: String, options: KingfisherParsedOptionsInfo
    ) {
        // Memory would have the image without the modifier.
        guard !options.keepsEncoded, options.imageModifier == nil else { return }
        let computedKey = key.computedKey(with: options.processor.identifier)
        let lifetime = options.memoryCacheExpiration ?? memoryStorage.config.expiration
        displayed.note(
            image, forKey: computedKey,
            until: memoryStorage.expiration(forKey: computedKey)
                ?? lifetime.estimatedExpirationSince(clock.now))
    }

    /// Returns an image that memory has evicted and a view still shows, and stores it in memory again.
    func displayedImage(
        forKey computedKey: String, options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard let image = displayed.image(forKey: computedKey, at: clock.now) else { return nil }
        memoryStorage.store(value: image, forKey: computedKey, expiration: options.memoryCacheExpiration)
        // It may have been removed or replaced since the lookup.
        guard displayed.image(forKey: computedKey, at: clock.now) === image else {
            memoryStorage.remove(forKey: computedKey)
            return nil
        }
        return image
    }
}
