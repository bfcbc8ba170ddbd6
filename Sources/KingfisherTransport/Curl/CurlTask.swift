import Synchronization

final class CurlTask: TransportTask {
    private let mailbox: CurlMailbox?
    private let cancelled = Atomic(false)

    init(_ mailbox: CurlMailbox?) {
        self.mailbox = mailbox
    }

    /// The loop checks this before each callback, because a cancel takes effect before `cancel()` returns.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox?.post(.cancel(self))
    }

    func resume() {
        mailbox?.post(.resume(self))
    }
}
