import Synchronization

/// The outside of a transfer: all it does is tell the loop.
final class CurlTask: TransportTask {
    private let mailbox: CurlMailbox?
    private let cancelled = Atomic(false)

    init(_ mailbox: CurlMailbox?) {
        self.mailbox = mailbox
    }

    /// Read by the loop before each callback, because a cancel must hold from the moment it returns.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox?.post(.cancel(self))
    }

    func resume() {
        mailbox?.post(.resume(self))
    }
}
