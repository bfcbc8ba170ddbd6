import Dispatch
import Foundation
import Synchronization

/// Calls a closure on a background queue again and again, without a run loop, until it is released.
final class SweepTimer: Sendable {
    private static let longestInterval: TimeInterval = 365 * StorageExpiration.secondsPerDay

    private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

    /// Starts over with an interval in seconds; one that is not positive and finite only stops.
    func start(every interval: TimeInterval, _ action: @escaping @Sendable () -> Void) {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
            guard interval > 0, interval.isFinite else { return }
            let seconds = min(interval, Self.longestInterval)
            let source = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
            source.setEventHandler(handler: action)
            source.schedule(
                deadline: .now() + seconds, repeating: seconds,
                leeway: .milliseconds(Int(min(1, seconds / 10) * 1000)))
            source.activate()
            timer = source
        }
    }

    deinit {
        timer.withLock { $0?.cancel() }
    }
}
