import Foundation
import KingfisherImage
import Synchronization

/// A source's bytes, or an original in memory, and the pictures that are made of it: one for each variant, once,
/// for all who share it. Safe from any thread.
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

    private enum Entry: Sendable {
        case making([Completion])
        case over(Making)
    }

    let item: ImageProcessItem
    private let entries = Mutex<[PictureVariant: Entry]>([:])

    init(_ item: ImageProcessItem) {
        self.item = item
    }

    /// Has `completion` called with the picture: on this thread, once `work` has made it here, or on the thread of
    /// whoever is making it already.
    func make(_ variant: PictureVariant, with work: () -> Making, completion: @escaping Completion) {
        let known = entries.withLock { entries -> Entry? in
            let known = entries[variant]
            switch known {
            case nil: entries[variant] = .making([completion])
            case .making(let waiting)?: entries[variant] = .making(waiting + [completion])
            case .over?: break
            }
            return known
        }
        switch known {
        case .making?: return
        case .over(let making)?: return completion(making)
        case nil: break
        }
        let making = work()
        let waiting = entries.withLock { entries in
            defer { entries[variant] = .over(making) }
            return entries[variant]
        }
        guard case .making(let completions)? = waiting else { return }
        for completion in completions { completion(making) }
    }
}
