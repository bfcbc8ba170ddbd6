import Synchronization

/// The arrival of a fetch, and the time that its hops have waited in a queue or were suspended. Safe to use
/// from any thread.
///
/// All hops of a fetch have the same ticket, so a redirect does not go to the end of the queue.
package final class QueueTicket: Sendable {
    private static let last = Atomic<UInt64>(0)

    let arrival: UInt64
    private let waitedNanoseconds = Atomic<Int64>(0)

    package init() {
        arrival = Self.last.add(1, ordering: .relaxed).newValue
    }

    package var waited: Duration { .nanoseconds(waitedNanoseconds.load(ordering: .relaxed)) }

    func addWait(_ wait: Duration) {
        if wait != .zero { waitedNanoseconds.add(Int64(wait / .nanoseconds(1)), ordering: .relaxed) }
    }
}
