import KingfisherImage
import KingfisherTransport
import Synchronization

/// What is known of images beside their pixels, by key: how fresh they are, and their tags.
///
/// Beside the memory storage rather than in it, so that an image that is stored under the same key by other
/// means is never taken for the one that was downloaded. Keeps no image alive. Safe from any thread.
final class ImageNotes: Sendable {
    private struct Key: Hashable {
        let computedKey: ExactText
        let image: ObjectIdentifier

        init(_ computedKey: String, _ image: KFCrossPlatformImage) {
            self.computedKey = ExactText(computedKey)
            self.image = ObjectIdentifier(image)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(image) }
    }

    private struct Note {
        /// Another image may have its address once it is released.
        weak var image: KFCrossPlatformImage?
        var freshness: HTTPFreshness?
        var tags: [String] = []
    }

    private struct State {
        var notes: [Key: Note] = [:]
        /// The number of notes at which the dead among them are looked for next.
        var sweepsAt = 64
    }

    private let state = Mutex(State())

    /// Notes, those of released images included.
    var count: Int { state.withLock(\.notes.count) }

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
        state.withLock { state in
            let note = state.notes[Key(computedKey, image)]
            return note?.image === image ? note : nil
        }
    }

    private func change(
        _ image: KFCrossPlatformImage, _ computedKey: String, _ change: (inout Note) -> Void
    ) {
        let key = Key(computedKey, image)
        state.withLock { state in
            if state.notes.count >= state.sweepsAt {
                state.notes = state.notes.filter { $0.value.image != nil }
                // Twice what is alive, so that sweeping costs each new note a constant share.
                state.sweepsAt = max(64, 2 * state.notes.count)
            }
            var note = state.notes[key]
            if note?.image !== image { note = nil }
            var changed = note ?? Note(image: image)
            change(&changed)
            state.notes[key] = changed
        }
    }
}
