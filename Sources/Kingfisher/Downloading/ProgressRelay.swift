import Dispatch
import Synchronization

/// Bytes received and bytes expected, on the main queue; only called when the expected length is known.
///
/// A closure that is formed on the main actor, or on none, may use what it likes there, local variables
/// included.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)

/// The same for functions that are `async`, whose callers may be anywhere; called on the main queue as well.
public typealias SendableProgressBlock = @Sendable (_ receivedSize: Int64, _ totalSize: Int64) -> Void

/// Carries one caller's progress to the main queue.
///
/// Reports that the main queue has not taken yet are replaced by newer ones, so that a busy or blocked main
/// thread is never buried in them.
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

    /// Reports soon, unless stopped before the main queue gets to it.
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

    /// Ends all reporting, of what is scheduled as well.
    func stop() {
        state.withLock { $0.isStopped = true }
    }
}

extension ProgressRelay {
    /// A caller's block as one that other threads may hold until it is called on the main queue.
    static func carried(_ block: DownloadProgressBlock?) -> SendableProgressBlock? {
        guard let block else { return nil }
        nonisolated(unsafe) let carried = block  // called on the main queue alone
        return { carried($0, $1) }
    }
}
