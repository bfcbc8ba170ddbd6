import Dispatch
import Synchronization

/// Orders the disk work of one cache: jobs of one key run in order, jobs of different keys in parallel, and a
/// barrier runs after everything submitted before it and before everything submitted after it.
///
/// Completions that the caller left to the cache (`.untouch`) run one at a time on a serial queue of their
/// own, after the job, so that one that starts the next job never nests in the first.
final class DiskLanes: Sendable {
    private let lanes: [DispatchQueue]
    private let completions: DispatchQueue
    /// Makes the submission of a barrier to all lanes one step; two barriers would lock each other up
    /// otherwise.
    private let submission = Mutex(())

    /// More lanes than cores: a lane waits for the disk as often as it works.
    init(label: String, count: Int = 8) {
        let workers = DispatchQueue(label: "\(label).disk", qos: .userInitiated, attributes: .concurrent)
        lanes = (0..<count).map { DispatchQueue(label: "\(label).disk.\($0)", target: workers) }
        completions = DispatchQueue(label: "\(label).completions", qos: .userInitiated)
    }

    /// Runs `job` after the earlier jobs of `key` and after earlier barriers.
    func run(key: String, _ job: @escaping @Sendable () -> Void) {
        let lane = lanes[Int(UInt(bitPattern: key.hashValue) % UInt(lanes.count))]
        submission.withLock { _ in lane.async(execute: job) }
    }

    /// Runs `job` alone. No thread waits: each lane stops itself, and the last to arrive does the job.
    func barrier(_ job: @escaping @Sendable () -> Void) {
        let meeting = Meeting(lanes: lanes, job: job)
        submission.withLock { _ in
            for lane in lanes {
                lane.async { meeting.arrive(lane) }
            }
        }
    }

    /// Runs a completion where the caller wants it.
    func deliver(on queue: CallbackQueue, _ block: @escaping @Sendable () -> Void) {
        if case .untouch = queue { completions.async(execute: block) } else { queue.execute(block) }
    }
}

/// One barrier: counts the lanes that have stopped.
private final class Meeting: Sendable {
    private let missing: Mutex<Int>
    private let lanes: [DispatchQueue]
    private let job: @Sendable () -> Void

    init(lanes: [DispatchQueue], job: @escaping @Sendable () -> Void) {
        self.lanes = lanes
        self.job = job
        missing = Mutex(lanes.count)
    }

    func arrive(_ lane: DispatchQueue) {
        // Suspension takes effect when the running block returns, so a lane can stop itself.
        lane.suspend()
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        guard isLast else { return }
        job()
        for lane in lanes { lane.resume() }
    }
}
