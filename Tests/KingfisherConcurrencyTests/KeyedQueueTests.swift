import Dispatch
import Synchronization
import TestHelpers
import Testing

@testable import KingfisherConcurrency

@Suite struct KeyedQueueTests {
    private struct Log: Sendable {
        var running = 0
        var barriers = 0
        var overlaps = 0
        var order: [Int: [Int]] = [:]
    }

    @Test("Jobs of a key keep their order, barriers run alone, and many of both from many threads never hang")
    func manyBarriers() async throws {
        let queue = KeyedQueue(label: "test")
        let log = Mutex(Log())
        let done = Inbox<Void>()
        let (threads, rounds) = (8, 250)
        for thread in 0..<threads {
            DispatchQueue.global().async {
                for round in 0..<rounds {
                    queue.run(key: "key \(thread)") {
                        log.withLock { log in
                            if log.barriers > 0 { log.overlaps += 1 }
                            log.running += 1
                            log.order[thread, default: []].append(round)
                        }
                        log.withLock { $0.running -= 1 }
                        done.put()
                    }
                    guard round % 5 == 0 else { continue }
                    queue.barrier {
                        log.withLock { log in
                            if log.running > 0 || log.barriers > 0 { log.overlaps += 1 }
                            log.barriers += 1
                        }
                        log.withLock { $0.barriers -= 1 }
                        done.put()
                    }
                }
            }
        }
        _ = try await done.first(threads * (rounds + rounds / 5))
        let end = log.withLock { $0 }
        #expect(end.overlaps == 0)
        #expect(end.order.count == threads)
        #expect(end.order.values.allSatisfy { $0 == Array(0..<rounds) })
    }

    @Test("A job can schedule more work, including a barrier from inside a barrier")
    func nested() async throws {
        let queue = KeyedQueue(label: "test")
        let order = Inbox<String>()
        queue.run(key: "a") {
            queue.barrier {
                queue.run(key: "a") { order.put("job") }
                queue.barrier { order.put("inner") }
                order.put("outer")
            }
            order.put("first")
        }
        #expect(try await order.first(4) == ["first", "outer", "job", "inner"])
    }

    @Test("A survey waits for earlier jobs and surveys; later jobs run beside it, later barriers after it")
    func survey() async throws {
        let queue = KeyedQueue(label: "test")
        let order = Inbox<String>()
        let (hold, surveying) = (Latch(), Latch())
        queue.run(key: "a") {
            hold.wait()
            order.put("earlier job")
        }
        queue.survey {
            order.put("survey starts")
            surveying.wait()
            order.put("survey ends")
        }
        queue.survey { order.put("second survey") }
        // In the queue of the held job and in others.
        for key in ["a", "b", "c"] { queue.run(key: key) { order.put("later job") } }
        hold.open()
        let events = try await order.first(5)
        #expect(events.filter { $0 == "later job" }.count == 3)
        let end = try #require(events.firstIndex(of: "survey starts"))
        #expect(try #require(events.firstIndex(of: "earlier job")) < end)
        queue.barrier { order.put("barrier") }
        queue.run(key: "b") { order.put("last") }
        surveying.open()
        #expect(try await order.first(9).suffix(4) == ["survey ends", "second survey", "barrier", "last"])
    }
}

extension Latch {
    /// Blocks the thread until the latch opens.
    fileprivate func wait() {
        let semaphore = DispatchSemaphore(value: 0)  // blocks a thread of the queue, never a test's thread
        whenOpen { semaphore.signal() }
        _ = semaphore.wait(timeout: .now() + 20)
    }
}
