import Dispatch
import Synchronization

/// Receives the number of bytes received and expected, on the main queue. Called only if the expected length
/// is known.
///
/// A closure formed on the main actor, or without an actor, may capture values that are not sendable.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)

/// The same for `async` functions, whose callers may run on any thread. Also called on the main queue.
public typealias SendableProgressBlock = @Sendable (_ receivedSize: Int64, _ totalSize: Int64) -> Void

/// Delivers one caller's progress on the main queue.
///
/// A pending report is replaced by a newer one, so a busy main thread has at most one block queued.
final class ProgressRelay: Sendable {
    private struct State: Sendable {
        var latest: (received: Int64, total: Int64)?
        var isStopped = false
    }

    private let block: SendableProgressBlock
    private let state = Mutex(State())

    init(_ block: @escaping SendableProgressBlock) {
        self.block = block
    }

    func report(received: Int64, total: Int64) {
        let isScheduled = state.withLock { state in
            defer { state.latest = (received, total) }
            return state.latest != nil
        }
        if isScheduled { return }
        DispatchQueue.main.async { [self] in
            let latest = state.withLock { state in
                defer { state.latest = nil }
                return state.isStopped ? nil : state.latest
            }
            if let latest { block(latest.received, latest.total) }
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
    }
}

extension ProgressRelay {
    static func carried(_ block: DownloadProgressBlock?) -> SendableProgressBlock? {
        guard let block else { return nil }
        nonisolated(unsafe) let carried = block  // called only on the main queue
        return { carried($0, $1) }
    }
}
