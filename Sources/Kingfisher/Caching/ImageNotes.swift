import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// What is known of images beside their pixels, by key: how fresh they are, and their tags.
///
/// Beside the memory storage rather than in it, so that an image that is stored under the same key by other
/// means is never taken for the one that was downloaded. Keeps no image alive. Safe from any thread.
final class ImageNotes: Sendable {
    private struct Key: Hashable {
        let computedKey: BytewiseString
        let image: ObjectIdentifier

        init(_ computedKey: String, _ image: KFCrossPlatformImage) {
            self.computedKey = BytewiseString(computedKey)
            self.image = ObjectIdentifier(image)
        }
    }

    private struct Note {
        var freshness: HTTPFreshness?
        var tags: [String] = []
    }

    private let notes = WeakTable<Key, KFCrossPlatformImage, Note>()

    /// Notes, those of released images included.
    var count: Int { notes.count }

    /// Notes what is known of an image, in place of what was.
    func note(_ freshness: HTTPFreshness, of image: KFCrossPlatformImage, forKey computedKey: String) {
        change(image, computedKey) { $0.freshness = freshness }
    }

    /// Adds tags to an image.
    func note(tags: [String], of image: KFCrossPlatformImage, forKey computedKey: String) {
        guard !tags.isEmpty else { return }
        change(image, computedKey) { note in
            note.tags += tags.filter { !note.tags.contains($0) }
        }
    }

    /// What is known of an image; nil for one that did not come by HTTP, or without `.httpCaching`.
    func freshness(of image: KFCrossPlatformImage, forKey computedKey: String) -> HTTPFreshness? {
        note(of: image, computedKey)?.freshness
    }

    func tags(of image: KFCrossPlatformImage, forKey computedKey: String) -> [String] {
        note(of: image, computedKey)?.tags ?? []
    }

    private func note(of image: KFCrossPlatformImage, _ computedKey: String) -> Note? {
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
