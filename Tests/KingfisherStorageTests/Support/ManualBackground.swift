import Foundation
import Synchronization

@testable import KingfisherStorage

/// Keeps what an engine wants done in the background until a test has it done.
final class ManualBackground: Sendable {
    private struct Job: Sendable {
        let delay: TimeInterval
        let work: BackgroundWork.Work
    }

    private let jobs = Mutex<[Job]>([])

    var work: BackgroundWork {
        BackgroundWork { delay, work in self.jobs.withLock { $0.append(Job(delay: delay, work: work)) } }
    }

    /// After how many seconds each job is to be done.
    var delays: [TimeInterval] { jobs.withLock { $0.map(\.delay) } }

    /// Does what is waiting, and what that asks for.
    func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job.work() }
    }
}
