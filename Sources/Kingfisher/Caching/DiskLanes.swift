import Dispatch
import Synchronization

/// Orders the disk work of one cache: jobs of one key run in order, jobs of different keys in parallel, and a
/// barrier runs after everything submitted before it and before everything submitted after it. A survey,
/// which goes through the whole folder, waits for what was submitted before it like a barrier; jobs submitted
/// after it run beside it, later surveys and barriers after it.
///
/// Completions that the caller left to the cache (`.untouch`) run one at a time on a serial queue of their
/// own, after the job, so that one that starts the next job never nests in the first.
final class DiskLanes: Sendable {
    /// A queue, and how many of its jobs have not ended.
    private final class Lane: Sendable {
        let queue: DispatchQueue
        let pending = Atomic<Int>(0)

        init(_ queue: DispatchQueue) { self.queue = queue }
    }

    /// On the queues of lanes, whose they are.
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    private let lanes: [Lane]
    /// The lane of surveys.
    private let surveys: DispatchQueue
    private let completions: DispatchQueue
    /// Makes the submission to all lanes one step; two barriers would lock each other up otherwise.
    private let submission = Mutex(())

    /// More lanes than cores: a lane waits for the disk as often as it works.
    init(label: String, count: Int = 8) {
        let workers = DispatchQueue(label: "\(label).disk", qos: .userInitiated, attributes: .concurrent)
        lanes = (0..<count).map { Lane(DispatchQueue(label: "\(label).disk.\($0)", target: workers)) }
        surveys = DispatchQueue(label: "\(label).disk.surveys", target: workers)
        completions = DispatchQueue(label: "\(label).completions", qos: .userInitiated)
        for lane in lanes { lane.queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self)) }
    }

    /// Runs `job` after the earlier jobs of `key` and after earlier barriers.
    func run(key: String, _ job: @escaping @Sendable () -> Void) {
        let lane = lane(of: key)
        lane.pending.add(1, ordering: .relaxed)
        submission.withLock { _ in
            lane.queue.async {
                job()
                lane.pending.subtract(1, ordering: .releasing)
            }
        }
    }

    /// Runs `job` as `run` does: on this thread, where that is in a job of another key and `key` has none.
    func runHereIfIdle(key: String, _ job: @escaping @Sendable () -> Void) {
        // A barrier waits for the job that this thread is in, and so for this one.
        let isInJob = DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self)
        guard isInJob, lane(of: key).pending.load(ordering: .acquiring) == 0 else {
            return run(key: key, job)
        }
        job()
    }

    private func lane(of key: String) -> Lane {
        lanes[Int(UInt(bitPattern: ExactText(key).hashValue) % UInt(lanes.count))]
    }

    /// Runs `job` alone. No thread waits: each lane stops itself, and the last to arrive does the job.
    func barrier(_ job: @escaping @Sendable () -> Void) {
        let stopped = queues
        meet(stopping: stopped) {
            job()
            for lane in stopped { lane.resume() }
        }
    }

    /// Runs `job` after everything that was submitted before, beside jobs that are submitted later.
    func survey(_ job: @escaping @Sendable () -> Void) {
        meet(stopping: [surveys]) { [surveys] in
            // Next in its lane, which has only stopped for this.
            surveys.resume()
        } then: { [surveys] in
            surveys.async(execute: job)
        }
    }

    private var queues: [DispatchQueue] { lanes.map(\.queue) + [surveys] }

    /// Has all lanes pass one point; `body` runs when the last has arrived, while some stay there.
    private func meet(
        stopping stopped: [DispatchQueue], _ body: @escaping @Sendable () -> Void,
        then submit: () -> Void = {}
    ) {
        let all = queues
        let barrier = Barrier(count: all.count, body)
        submission.withLock { _ in
            for lane in all {
                let stops = stopped.contains { $0 === lane }
                lane.async {
                    // Suspension takes effect when the running block returns, so a lane can stop itself.
                    if stops { lane.suspend() }
                    barrier.arrive()
                }
            }
            submit()
        }
    }

    /// Runs a completion where the caller wants it.
    func deliver(on queue: CallbackQueue, _ block: @escaping @Sendable () -> Void) {
        if case .untouch = queue { completions.async(execute: block) } else { queue.execute(block) }
    }
}

/// Counts the lanes that have come to one point, and runs the body when the last is there.
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
