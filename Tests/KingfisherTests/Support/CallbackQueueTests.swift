import Foundation
import Kingfisher
import Testing
import TestTraits

@Suite struct CallbackQueueTests {
    /// Whether `queue`, called on the main queue, has run its block when `execute` returns, and where it ran.
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

    /// The same from another thread; a block that ran elsewhere may have been so quick as to seem inline.
    private func callOnWorker(_ queue: CallbackQueue) async throws -> (inline: Bool, onMain: Bool) {
        let (ran, thread) = (Inbox<Bool>(), Inbox<Bool>())
        Thread {
            queue.execute { ran.put(MainQueue.isCurrent) }
            thread.put(ran.count == 1)
        }.start()
        return (try await thread.first(), try await ran.first())
    }

    @Test("MainCurrentOrAsync is inline on the main queue only", .behaviours("U-3"))
    func mainCurrentOrAsync() async throws {
        #expect(try await callOnMain(.mainCurrentOrAsync) == (true, true))
        #expect(try await callOnWorker(.mainCurrentOrAsync).onMain)
    }

    @Test("A thread that is not the main one is told so each time it asks", .behaviours("U-3"))
    func workerAsksAgain() async throws {
        let ran = Inbox<Bool>()
        Thread {
            for _ in 0..<3 { CallbackQueue.mainCurrentOrAsync.execute { ran.put(MainQueue.isCurrent) } }
        }.start()
        #expect(try await ran.first(3) == [true, true, true])
    }

    @Test("Untouch is inline always", .behaviours("U-3"))
    func untouch() async throws {
        #expect(try await callOnMain(.untouch) == (true, true))
        #expect(try await callOnWorker(.untouch) == (true, false))
    }

    @Test("mainAsync never is inline, and always on the main queue")
    func mainAsync() async throws {
        #expect(try await callOnMain(.mainAsync) == (false, true))
        #expect(try await callOnWorker(.mainAsync).onMain)
    }

    @Test("A dispatch queue and an operation queue run the block")
    func others() async throws {
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
