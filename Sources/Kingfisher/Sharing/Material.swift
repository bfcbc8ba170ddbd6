import Foundation
import KingfisherImage
import KingfisherTransport
import Synchronization

/// A source's bytes, or an original in memory, and the pictures that are made of it: one for each variant,
/// once, for all who share it. Safe from any thread.
final class Material: Sendable {
    typealias Completion = @Sendable (Making) -> Void

    /// What became of making a picture.
    enum Making: Sendable {
        case made(KFCrossPlatformImage)
        /// It is a picture, but the processor makes none of it.
        case refused
        /// It is no picture.
        case unreadable
    }

    private struct Entry: Sendable {
        var waiting: [Completion] = []
        var making: Making?
    }

    let item: ImageProcessItem
    /// What the server of an original that a cache has said about it.
    let freshness: HTTPFreshness?
    private let entries = Mutex<[PictureVariant: Entry]>([:])

    init(_ item: ImageProcessItem, freshness: HTTPFreshness? = nil) {
        self.item = item
        self.freshness = freshness
    }

    /// Has `completion` called with the picture: on this thread, once `work` has made it here, or on the
    /// thread of whoever is making it already.
    func make(_ variant: PictureVariant, with work: () -> Making, completion: @escaping Completion) {
        let (isFirst, known) = entries.withLock { entries -> (Bool, Making?) in
            if let making = entries[variant]?.making { return (false, making) }
            let isFirst = entries[variant] == nil
            entries[variant, default: Entry()].waiting.append(completion)
            return (isFirst, nil)
        }
        if let known { return completion(known) }
        guard isFirst else { return }
        let making = work()
        let completions = entries.withLock { entries in
            defer { entries[variant] = Entry(making: making) }
            return entries[variant]?.waiting ?? []
        }
        for completion in completions { completion(making) }
    }
}
