#if SharedCache
    import NIOCore

    /// Runs tasks on the thread of an event loop.
    final class EventLoopExecutor: TaskExecutor {
        let eventLoop: any EventLoop

        init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            eventLoop.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
#endif
