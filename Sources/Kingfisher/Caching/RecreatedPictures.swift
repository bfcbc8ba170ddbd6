import KingfisherImage
import Synchronization

/// Pictures that were made anew from the bytes of one in memory, as somebody wanted them made with other
/// options.
///
/// They are not stored, but equal ones are made once: who asks while one is being made waits for that, and
/// who asks while somebody holds it gets the same. So views share an animation's frames however it came to
/// memory. Safe from any thread.
final class RecreatedPictures: Sendable {
    typealias Completion = @Sendable (KFCrossPlatformImage?) -> Void

    /// Which picture was made anew, and how.
    struct Key: Hashable, Sendable {
        private let computedKey: ExactText
        private let original: ObjectIdentifier
        private let options: ImageCreatingOptions

        init(_ computedKey: String, _ original: KFCrossPlatformImage, _ options: ImageCreatingOptions) {
            self.computedKey = ExactText(computedKey)
            self.original = ObjectIdentifier(original)
            self.options = options.ofAnimation
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(original)
        }
    }

    private struct Made: Sendable {
        /// Another picture may have its address once it is gone.
        weak var original: KFCrossPlatformImage?
        weak var picture: KFCrossPlatformImage?

        var isAlive: Bool { original != nil && picture != nil }
    }

    private enum Entry: Sendable {
        case making([Completion])
        case made(Made)

        var isDead: Bool {
            if case .made(let made) = self { !made.isAlive } else { false }
        }
    }

    private struct State: Sendable {
        var entries: [Key: Entry] = [:]
        /// The number of entries at which the dead among them are looked for next.
        var sweepsAt = 16

        func picture(_ key: Key, of original: KFCrossPlatformImage) -> KFCrossPlatformImage? {
            guard case .made(let made) = entries[key], made.original === original else { return nil }
            return made.picture
        }

        mutating func sweep() {
            guard entries.count >= sweepsAt else { return }
            entries = entries.filter { !$0.value.isDead }
            // Twice what is alive, so that sweeping costs each new entry a constant share.
            sweepsAt = max(16, 2 * entries.count)
        }
    }

    private enum Turn {
        case done(KFCrossPlatformImage)
        case wait
        case make
    }

    private let state = Mutex(State())

    /// Entries, those included whose picture nobody holds any more.
    var count: Int { state.withLock(\.entries.count) }

    /// The picture made of `original`, while somebody holds it.
    func picture(_ key: Key, of original: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        state.withLock { $0.picture(key, of: original) }
    }

    /// Has `completion` called with the picture made of `original`, nil where that fails: on this thread,
    /// once `work` has made it here, or on the thread of whoever is making it already.
    func make(
        _ key: Key, of original: KFCrossPlatformImage, with work: () -> KFCrossPlatformImage?,
        completion: @escaping Completion
    ) {
        let turn = state.withLock { state -> Turn in
            if case .making(let waiting) = state.entries[key] {
                state.entries[key] = .making(waiting + [completion])
                return .wait
            }
            if let picture = state.picture(key, of: original) { return .done(picture) }
            state.sweep()
            state.entries[key] = .making([completion])
            return .make
        }
        switch turn {
        case .done(let picture): completion(picture)
        case .wait: break
        case .make:
            let picture = work()
            let made = picture.map { Entry.made(Made(original: original, picture: $0)) }
            let waiting = state.withLock { state in
                defer { state.entries[key] = made }
                return state.entries[key]
            }
            guard case .making(let completions) = waiting else { return }
            for completion in completions { completion(picture) }
        }
    }
}
