import Dispatch
import Synchronization

/// Runs jobs in order for one key and in parallel for different keys.
///
/// A barrier runs alone: after every job submitted before it, and before every job submitted after it. A
/// survey is for reading the data of all keys: it runs after every job submitted before it, concurrently with
/// jobs submitted after it, and before later surveys and barriers. Safe from any thread.
package final class KeyedQueue: Sendable {
    private final class Stripe: Sendable {
        let queue: DispatchQueue
        let pending = Atomic<Int>(0)

        init(_ queue: DispatchQueue) { self.queue = queue }
    }

    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    private let stripes: [Stripe]
    private let surveys: DispatchQueue
    /// Makes a submission to several queues atomic. Without it, two barriers could block each other.
    private let submission = Mutex(())

    /// - Parameter count: The maximum number of concurrent jobs. Jobs that wait for a disk allow more than
    ///   one for each core.
    package init(label: String, count: Int = 8) {
        // Targets a global queue directly: an intermediate queue would wake a second thread for each job.
        let workers = DispatchQueue.global(qos: .userInitiated)
        stripes = (0..<count).map { Stripe(DispatchQueue(label: "\(label).\($0)", target: workers)) }
        surveys = DispatchQueue(label: "\(label).surveys", target: workers)
        for stripe in stripes { stripe.queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self)) }
    }

    package func run(key: String, _ job: @escaping @Sendable () -> Void) {
        let stripe = stripe(of: key)
        stripe.pending.add(1, ordering: .relaxed)
        submission.withLock { _ in
            stripe.queue.async {
                job()
                stripe.pending.subtract(1, ordering: .releasing)
            }
        }
    }

    /// Like `run`, but runs `job` on this thread if it is in a job of this queue and `key` has no jobs.
    package func runHereIfIdle(key: String, _ job: @escaping @Sendable () -> Void) {
        // A barrier waits for the current job, and therefore also for this one.
        guard isCurrent, stripe(of: key).pending.load(ordering: .acquiring) == 0 else {
            return run(key: key, job)
        }
        job()
    }

    package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self) }

    private func stripe(of key: String) -> Stripe {
        stripes[Int(UInt(bitPattern: key.hashValue) % UInt(stripes.count))]
    }

    /// No thread blocks: each queue suspends itself, and the last one runs `job`.
    package func barrier(_ job: @escaping @Sendable () -> Void) {
        let suspended = queues
        rendezvous(suspending: suspended) {
            job()
            for queue in suspended { queue.resume() }
        }
    }

    package func survey(_ job: @escaping @Sendable () -> Void) {
        rendezvous(suspending: [surveys]) { [surveys] in
            // The job is next in this queue.
            surveys.resume()
        } then: { [surveys] in
            surveys.async(execute: job)
        }
    }

    private var queues: [DispatchQueue] { stripes.map(\.queue) + [surveys] }

    /// Runs `body` once all queues have finished the jobs submitted so far.
    ///
    /// - Parameters:
    ///   - suspended: The queues that run no further job until `body` resumes them.
    ///   - submit: Submits jobs that must directly follow in a suspended queue.
    private func rendezvous(
        suspending suspended: [DispatchQueue], _ body: @escaping @Sendable () -> Void,
        then submit: () -> Void = {}
    ) {
        let all = queues
        let barrier = Barrier(count: all.count, body)
        submission.withLock { _ in
            for queue in all {
                let suspends = suspended.contains { $0 === queue }
                queue.async {
                    // Suspension takes effect when the running block returns, so a queue can suspend itself.
                    if suspends { queue.suspend() }
                    barrier.arrive()
                }
            }
            submit()
        }
    }
}

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
