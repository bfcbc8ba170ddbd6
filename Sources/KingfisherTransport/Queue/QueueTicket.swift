import Synchronization

/// When a fetch arrived, and how long its hops have waited in a queue so far. Safe from any thread.
///
/// All hops of a fetch show the same ticket, so that a redirect does not go to the back of the line.
package final class QueueTicket: Sendable {
    private static let last = Atomic<UInt64>(0)

    /// Who came first has the lower one.
    let arrival: UInt64
    private let waitedNanoseconds = Atomic<Int64>(0)

    package init() {
        arrival = Self.last.add(1, ordering: .relaxed).newValue
    }

    var waited: Duration { .nanoseconds(waitedNanoseconds.load(ordering: .relaxed)) }

    func addWait(_ wait: Duration) {
        waitedNanoseconds.add(Int64(wait / .nanoseconds(1)), ordering: .relaxed)
    }
}
