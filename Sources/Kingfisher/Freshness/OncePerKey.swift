import Synchronization

/// Work that many come to do once for all of them, a piece for each key. Safe from any thread.
final class OncePerKey<Key: Hashable & Sendable>: Sendable {
    typealias Completion = @Sendable () -> Void

    private enum Progress {
        case underWay([Completion])
        case done
    }

    private let pieces = Mutex<[Key: Progress]>([:])

    /// Has `completion` called when the piece is done: at once where that is so, on this thread. The first to
    /// come does it, by `work`, which calls what it is given at the end.
    func run(_ key: Key, completion: @escaping Completion, work: (@escaping Completion) -> Void) {
        let (isFirst, isDone) = pieces.withLock { pieces -> (Bool, Bool) in
            switch pieces[key] {
            case nil:
                pieces[key] = .underWay([completion])
                return (true, false)
            case .underWay(let waiting):
                pieces[key] = .underWay(waiting + [completion])
                return (false, false)
            case .done: return (false, true)
            }
        }
        if isDone { return completion() }
        guard isFirst else { return }
        work { [self] in
            let progress = pieces.withLock { pieces in
                defer { pieces[key] = .done }
                return pieces[key]
            }
            guard case .underWay(let waiting) = progress else { return }
            for completion in waiting { completion() }
        }
    }
}
