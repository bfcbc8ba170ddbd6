import Foundation
import Kingfisher
import Testing
import TestHelpers

@Suite struct CallbackQueueTests {
    /// Calls `queue` on the main queue. Returns whether the block ran before `execute` returned, and where it
    /// ran.
    private func callOnMain(_ queue: CallbackQueue) async throws -> (inline: Bool, onMain: Bool) {
        let ran = Inbox<Bool>()
        let inline: Bool = try await outcome { done in
            DispatchQueue.main.async {
                queue.execute { ran.put(MainQueue.isCurrent) }
                done(ran.count == 1)
            }
        }
        return (inline, try await ran.first())
    }

    /// The same from a worker thread. An asynchronous block may run so early that it appears inline.
    private func callOnWorker(_ queue: CallbackQueue) async throws -> (inline: Bool, onMain: Bool) {
        let (ran, thread) = (Inbox<Bool>(), Inbox<Bool>())
        Thread {
            queue.execute { ran.put(MainQueue.isCurrent) }
            thread.put(ran.count == 1)
        }.start()
        return (try await thread.first(), try await ran.first())
    }

    @Test("mainCurrentOrAsync runs inline only on the main queue", .behaviours("U-3"))
    func mainCurrentOrAsync() async throws {
        #expect(try await callOnMain(.mainCurrentOrAsync) == (true, true))
        #expect(try await callOnWorker(.mainCurrentOrAsync).onMain)
    }

    @Test("A worker thread is identified correctly on repeated calls", .behaviours("U-3"))
    func repeatedCallsOnWorker() async throws {
        let ran = Inbox<Bool>()
        Thread {
            for _ in 0..<3 { CallbackQueue.mainCurrentOrAsync.execute { ran.put(MainQueue.isCurrent) } }
        }.start()
        #expect(try await ran.first(3) == [true, true, true])
    }

    @Test("untouch always runs inline", .behaviours("U-3"))
    func untouch() async throws {
        #expect(try await callOnMain(.untouch) == (true, true))
        #expect(try await callOnWorker(.untouch) == (true, false))
    }

    @Test("mainAsync runs on the main queue and never inline")
    func mainAsync() async throws {
        #expect(try await callOnMain(.mainAsync) == (false, true))
        #expect(try await callOnWorker(.mainAsync).onMain)
    }

    @Test("A dispatch queue and an operation queue run the block")
    func customQueues() async throws {
        let marked = MarkedQueue()
        let onQueue: Bool = try await outcome { done in
            CallbackQueue.dispatch(marked.queue).execute { done(marked.isCurrent) }
        }
        #expect(onQueue)
        let operations = OperationQueue()
        operations.underlyingQueue = marked.queue
        let onOperations: Bool = try await outcome { done in
            CallbackQueue.operationQueue(operations).execute { done(marked.isCurrent) }
        }
        #expect(onOperations)
    }
}
