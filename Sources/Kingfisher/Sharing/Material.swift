import Foundation
import KingfisherImage
import KingfisherTransport
import Synchronization

/// A source's bytes, or an original in memory, and the images that are made of it: one for each recipe,
/// once, for all who share it. Safe from any thread.
final class Material: Sendable {
    typealias Completion = @Sendable (Making) -> Void

    /// What became of making an image.
    enum Making: Sendable {
        /// With the file that it was made of, if known.
        case made(KFCrossPlatformImage, original: Data?)
        /// There is an image, but the processor makes none of it.
        case refused(ImageProcessItem)
        /// There is no image.
        case unreadable
    }

    /// Requests with equal recipes get the same image.
    struct Recipe: Hashable, Sendable {
        let variant: PictureVariant
        /// The serializer that decodes the bytes; nil where the processor does.
        var serializer: ValueIdentity?
    }

    private struct Entry: Sendable {
        var waiting: [Completion] = []
        var making: Making?
    }

    let item: ImageProcessItem
    /// What the server of an original that a cache has said about it.
    let freshness: HTTPFreshness?
    private let entries = Mutex<[Recipe: Entry]>([:])

    init(_ item: ImageProcessItem, freshness: HTTPFreshness? = nil) {
        self.item = item
        self.freshness = freshness
    }

    /// Has `completion` called with the picture: on this thread, once `work` has made it here, or on the
    /// thread of whoever is making it already.
    func make(_ recipe: Recipe, with work: () -> Making, completion: @escaping Completion) {
        let (isFirst, known) = entries.withLock { entries -> (Bool, Making?) in
            if let making = entries[recipe]?.making { return (false, making) }
            let isFirst = entries[recipe] == nil
            entries[recipe, default: Entry()].waiting.append(completion)
            return (isFirst, nil)
        }
        if let known { return completion(known) }
        guard isFirst else { return }
        let making = work()
        let completions = entries.withLock { entries in
            defer { entries[recipe] = Entry(making: making) }
            return entries[recipe]?.waiting ?? []
        }
        for completion in completions { completion(making) }
    }
}
