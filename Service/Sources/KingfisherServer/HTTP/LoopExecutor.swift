import NIOCore

/// Runs the requests of a connection on its event loop. So a response in memory needs no other thread, which
/// costs more than making it.
///
/// Unstructured tasks, such as the making of images, do not run there.
final class LoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
