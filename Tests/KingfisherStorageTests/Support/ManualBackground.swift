import Foundation
import Synchronization

@testable import KingfisherStorage

/// Holds an engine's background jobs until a test runs them.
final class ManualBackground: Sendable {
    private struct Job: Sendable {
        let delay: TimeInterval
        let work: BackgroundWork.Work
    }

    private let jobs = Mutex<[Job]>([])

    var work: BackgroundWork {
        BackgroundWork { delay, work in self.jobs.withLock { $0.append(Job(delay: delay, work: work)) } }
    }

    /// The delay in seconds of each waiting job.
    var delays: [TimeInterval] { jobs.withLock { $0.map(\.delay) } }

    /// Runs the waiting jobs, and jobs that they add.
    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job.work() }
    }
}
