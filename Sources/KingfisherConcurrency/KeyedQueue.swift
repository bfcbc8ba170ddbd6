import Dispatch
import Synchronization

/// Runs jobs in order for one key and in parallel for different keys.
///
/// A barrier runs after everything submitted before it and before everything submitted after it. A survey,
/// which goes through all that the jobs work on, waits for what was submitted before it like a barrier; jobs
/// submitted after it run beside it, later surveys and barriers after it. Safe from any thread.
package final class KeyedQueue: Sendable {
    /// A queue, and how many of its jobs have not ended.
    private final class Part: Sendable {
        let queue: DispatchQueue
        let pending = Atomic<Int>(0)

        init(_ queue: DispatchQueue) { self.queue = queue }
    }

    /// On each queue: the `KeyedQueue` that it belongs to.
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// Each has the jobs of the keys with some hashes.
    private let parts: [Part]
    private let surveys: DispatchQueue
    /// Makes the submission to all queues one step; two barriers would block each other otherwise.
    private let submission = Mutex(())

    /// - Parameter count: The most jobs that run at the same time. More than there are cores where jobs wait
    ///   for a disk.
    package init(label: String, count: Int = 8) {
        // Not a queue of our own between them and the system's: that would wake a second thread for each job.
        let workers = DispatchQueue.global(qos: .userInitiated)
        parts = (0..<count).map { Part(DispatchQueue(label: "\(label).\($0)", target: workers)) }
        surveys = DispatchQueue(label: "\(label).surveys", target: workers)
        for part in parts { part.queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self)) }
    }

    /// Runs `job` after the earlier jobs of `key` and after earlier barriers.
    package func run(key: String, _ job: @escaping @Sendable () -> Void) {
        let part = part(of: key)
        part.pending.add(1, ordering: .relaxed)
        submission.withLock { _ in
            part.queue.async {
                job()
                part.pending.subtract(1, ordering: .releasing)
            }
        }
    }

    /// Runs `job` as `run` does: on this thread, where that is in a job of another key and `key` has none.
    package func runHereIfIdle(key: String, _ job: @escaping @Sendable () -> Void) {
        // A barrier waits for the job that this thread is in, and so for this one.
        guard isCurrent, part(of: key).pending.load(ordering: .acquiring) == 0 else {
            return run(key: key, job)
        }
        job()
    }

    /// Whether this thread is in a job of a key.
    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) }

    private func part(of key: String) -> Part {
        parts[Int(UInt(bitPattern: key.hashValue) % UInt(parts.count))]
    }

    /// Runs `job` alone. No thread waits: each queue suspends itself, and the last one does the job.
    package func barrier(_ job: @escaping @Sendable () -> Void) {
        let stopped = queues
        meet(stopping: stopped) {
            job()
            for queue in stopped { queue.resume() }
        }
    }

    /// Runs `job` after everything that was submitted before, beside jobs that are submitted later.
    package func survey(_ job: @escaping @Sendable () -> Void) {
        meet(stopping: [surveys]) { [surveys] in
            // Next in its queue, which has only stopped for this.
            surveys.resume()
        } then: { [surveys] in
            surveys.async(execute: job)
        }
    }

    private var queues: [DispatchQueue] { parts.map(\.queue) + [surveys] }

    /// Has all queues pass one point; `body` runs when the last has arrived, while some stay there.
    private func meet(
        stopping stopped: [DispatchQueue], _ body: @escaping @Sendable () -> Void,
        then submit: () -> Void = {}
    ) {
        let all = queues
        let barrier = Barrier(count: all.count, body)
        submission.withLock { _ in
            for queue in all {
                let stops = stopped.contains { $0 === queue }
                queue.async {
                    // Suspension takes effect when the running block returns, so a queue can stop itself.
                    if stops { queue.suspend() }
                    barrier.arrive()
                }
            }
            submit()
        }
    }
}

/// Counts the queues that have come to one point, and runs the body when the last is there.
private final class Barrier: Sendable {
    private let missing: Mutex<Int>
    private let body: @Sendable () -> Void

    init(count: Int, _ body: @escaping @Sendable () -> Void) {
        self.body = body
        missing = Mutex(count)
    }

    func arrive() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { body() }
    }
}
