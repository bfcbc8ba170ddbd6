import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherStorage
import Synchronization

/// The images of a memory storage that views show, so that a request finds an image that was evicted.
///
/// The storage forgets an image here when it is removed or replaced, but not when it is evicted: while a view
/// shows the image, evicting it frees nothing. Holds images weakly. Safe from any thread.
@usableFromInline
final class DisplayedImages: Sendable {
    struct Note: Sendable {
        /// The expiration with which the image is stored again.
        let expiration: StorageExpiration?
        /// The date at which the storage would expire the image.
        let end: Date
    }

    private let images = WeakTable<BytewiseString, KFCrossPlatformImage, Note>()
    private let isUsed = Atomic(false)

    /// Whether no image was noted yet, as on a server. Fast, because every store asks.
    @usableFromInline var isEmpty: Bool { !isUsed.load(ordering: .relaxed) }

    func note(_ image: KFCrossPlatformImage, forKey computedKey: String, _ note: Note) {
        isUsed.store(true, ordering: .relaxed)
        images.update(image, forKey: BytewiseString(computedKey)) { _ in note }
    }

    func image(
        forKey computedKey: String, at now: Date
    ) -> (image: KFCrossPlatformImage, expiration: StorageExpiration?)? {
        images.entries(forKey: BytewiseString(computedKey)).last { $0.value.end > now }
            .map { ($0.object, $0.value.expiration) }
    }

    @usableFromInline
    func forget(_ computedKey: String) {
        images.removeAll(forKey: BytewiseString(computedKey))
    }

    @usableFromInline
    func forgetAll() {
        images.removeAll()
    }

    var all: [(key: String, image: KFCrossPlatformImage)] {
        images.keyedObjects.map { (key: $0.key.text, image: $0.object) }
    }
}

extension MemoryStorage.Backend {
    /// Notes that a view shows `image`. Does nothing unless the image is stored, because it may have been
    /// removed or replaced since it was loaded.
    func noteDisplay(
        of image: KFCrossPlatformImage, forKey key: String, expiration: StorageExpiration?
    ) {
        guard stores(image, forKey: key), let end = engine.expiration(of: key) else { return }
        displayed.note(image, forKey: key, .init(expiration: expiration, end: end))
        if !stores(image, forKey: key) { displayed.forget(key) }
    }

    /// Returns an image that was evicted and that a view still shows, and stores it again.
    @usableFromInline
    func displayedValue(forKey key: String) -> T? {
        guard let (image, expiration) = displayed.image(forKey: key, at: engine.clock.now),
            let value = image as? T
        else { return nil }
        engine.storeIfAbsent(value, cost: value.cacheCost, for: key, expiration: expiration)
        // It may have been removed or replaced since the lookup.
        guard displayed.image(forKey: key, at: engine.clock.now)?.image === image else {
            engine.remove(key) { ($0 as? KFCrossPlatformImage) === image }
            return nil
        }
        return value
    }

    @usableFromInline
    func isDisplayed(_ key: String) -> Bool {
        displayed.image(forKey: key, at: engine.clock.now) != nil
    }

    private func stores(_ image: KFCrossPlatformImage, forKey key: String) -> Bool {
        (engine.peek(key) as? KFCrossPlatformImage) === image
    }
}
