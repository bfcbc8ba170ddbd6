import CCurl
import Foundation
import Synchronization

/// Ends connections whose server keeps libcurl from returning.
///
/// libcurl 7.88 does not return while an HTTP/2 server sends frames without a body faster than it reads them,
/// and meanwhile no transfer of the loop gets data or reaches its limits. A thread notices that the loop
/// stays inside one call of libcurl, so that the loop needs no system call for it. The thread starts with a
/// call and ends after a second without one.
final class FloodWatch: Sendable {
    private enum Watcher: UInt8, AtomicRepresentable { case unneeded, ended, running }

    private static let maxQuietReadings = 20

    private let sockets: CurlSockets
    private let watcher = Atomic(Watcher.unneeded)
    /// Counts the entries into libcurl and the returns: odd while the loop is inside.
    private let calls = Atomic(0)
    private let deliveredBytes = Atomic(0)
    /// The last call in which a transfer was paused.
    private let pausedCall = Atomic(0)

    init(_ sockets: CurlSockets) { self.sockets = sockets }

    // MARK: For the loop's thread

    /// Watches from the next call on. Needed for https only, because HTTP/2 is used only over TLS.
    func begin() {
        if watcher.load(ordering: .relaxed) == .unneeded { watcher.store(.ended, ordering: .relaxed) }
    }

    func enterLibrary() {
        calls.add(1, ordering: .releasing)
        if watcher.load(ordering: .relaxed) == .ended, startsWatcher() { startThread() }
    }

    func leaveLibrary() { calls.add(1, ordering: .releasing) }

    func noteBody(_ count: Int) { deliveredBytes.add(count, ordering: .relaxed) }

    /// Notes that libcurl reads on for a transfer, in this call, and keeps what it reads.
    func notePause() { pausedCall.store(calls.load(ordering: .relaxed), ordering: .relaxed) }

    // MARK: The thread

    private func startsWatcher() -> Bool {
        watcher.compareExchange(
            expected: .ended, desired: .running, ordering: .acquiringAndReleasing
        ).exchanged
    }

    private func startThread() {
        let thread = Thread { [self] in
            kf_name_this_thread("kf-flood-watch")
            watch()
        }
        thread.stackSize = 256 << 10
        thread.start()
    }

    private func watch() {
        var (meter, last, quiet, isEnding) = (FloodMeter(), 0, 0, false)
        while true {
            usleep(useconds_t(FloodMeter.interval / .microseconds(1)))
            let call = calls.load(ordering: .acquiring)
            quiet = call == last && call.isMultiple(of: 2) ? quiet + 1 : 0
            if call == last, quiet == 0 {
                sockets.endFlood(
                    call: call, delivered: deliveredBytes.load(ordering: .relaxed),
                    isPaused: pausedCall.load(ordering: .relaxed) == call, &meter)
            }
            last = call
            if isEnding {
                // The loop may have entered libcurl before it saw that this thread was ending.
                guard quiet == 0, startsWatcher() else { return }
                isEnding = false
            } else if quiet >= Self.maxQuietReadings {
                watcher.store(.ended, ordering: .releasing)
                isEnding = true
            }
        }
    }
}
