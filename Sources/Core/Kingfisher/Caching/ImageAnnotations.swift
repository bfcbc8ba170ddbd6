import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// The metadata of images in memory, by key and image: freshness, tags, and whether they are private.
///
/// Separate from the memory storage, so that the metadata of a downloaded image never applies to another
/// image that a user has stored under the same key. Holds images weakly. Safe from any thread.
final class ImageAnnotations: Sendable {
    private struct Key: Hashable {
        let computedKey: BytewiseString
        let image: ObjectIdentifier

        init(_ computedKey: String, _ image: KFCrossPlatformImage) {
            self.computedKey = BytewiseString(computedKey)
            self.image = ObjectIdentifier(image)
        }
    }

    struct Note {
        var freshness: HTTPFreshness?
        var tags: [String] = []
        var isPrivate = false
    }

    private let notes = WeakTable<Key, KFCrossPlatformImage, Note>()

    var count: Int { notes.count }

    func note(_ freshness: HTTPFreshness, of image: KFCrossPlatformImage, forKey computedKey: String) {
        change(image, computedKey) { $0.freshness = freshness }
    }

    func note(tags: [String], of image: KFCrossPlatformImage, forKey computedKey: String) {
        guard !tags.isEmpty else { return }
        change(image, computedKey) { note in
            note.tags += tags.filter { !note.tags.contains($0) }
        }
    }

    /// Notes that an image is for one user and must not reach a tier.
    func notePrivate(_ image: KFCrossPlatformImage, forKey computedKey: String) {
        change(image, computedKey) { $0.isPrivate = true }
    }

    func freshness(of image: KFCrossPlatformImage, forKey computedKey: String) -> HTTPFreshness? {
        note(of: image, forKey: computedKey)?.freshness
    }

    func tags(of image: KFCrossPlatformImage, forKey computedKey: String) -> [String] {
        note(of: image, forKey: computedKey)?.tags ?? []
    }

    func note(of image: KFCrossPlatformImage, forKey computedKey: String) -> Note? {
        notes.value(of: image, forKey: Key(computedKey, image))
    }

    private func change(
        _ image: KFCrossPlatformImage, _ computedKey: String, _ change: (inout Note) -> Void
    ) {
        notes.update(image, forKey: Key(computedKey, image)) { old in
            var note = old ?? Note()
            change(&note)
            return note
        }
    }
}
