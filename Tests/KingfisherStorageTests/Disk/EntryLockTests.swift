import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import KingfisherConcurrency
@testable import KingfisherStorage

struct EntryLockTests {
    private final class Observations: Sendable {
        let inside = Mutex<[String: Int]>([:])
        let failures = Atomic(0)
        let overlaps = Atomic(0)
    }

    @Test func locksAndBarriersExcludeEachOther() {
        let locks = KeyedLocks()
        let observed = Observations()
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for step in 0..<1_500 {
                if step % 100 == thread {
                    locks.withBarrier {
                        if observed.inside.withLock({ !$0.isEmpty }) {
                            observed.failures.wrappingAdd(1, ordering: .relaxed)
                        }
                    }
                    continue
                }
                let key = "key \((step + thread) % 5)"
                locks.withLock(FileNaming().name(forKey: key).digest) {
                    let count = observed.inside.withLock { inside in
                        defer { inside[key, default: 0] += 1 }
                        return inside[key, default: 0]
                    }
                    if count > 0 { observed.failures.wrappingAdd(1, ordering: .relaxed) }
                    sched_yield()
                    observed.inside.withLock { $0[key] = nil }
                }
            }
        }
        #expect(observed.failures.load(ordering: .relaxed) == 0)
    }

    enum Operation: CaseIterable {
        case put, get, renew, remove
    }

    @Test("Operations on a key wait for a store of the same key", arguments: Operation.allCases)
    func operationsOfAKeyWait(operation: Operation) throws {
        let world = try DiskWorld()
        let name = world.name("key")
        try world.store(bytes(3), "key")
        let (engine, renames) = (world.engine, Counter())
        let isDone = DispatchSemaphore(value: 0)  // An intercepted system call waits on its own thread.
        let wasEarly = Mutex(false)
        world.faults.fail { call, _ in
            guard call == .rename, renames.next() == 1 else { return 0 }
            Thread.detachNewThread {
                switch operation {
                case .put: try? engine.store(bytes(5), for: name, expiration: .never)
                case .get: _ = try? engine.data(for: name)
                case .renew: _ = engine.renew(name, expiration: .never)
                case .remove: try? engine.remove(name)
                }
                isDone.signal()
            }
            // Long enough for each of them, as they take microseconds.
            if isDone.wait(timeout: .now() + 0.05) == .success {
                wasEarly.withLock { $0 = true }
                isDone.signal()
            }
            return 0
        }
        try world.store(bytes(4), "key")
        #expect(isDone.wait(timeout: .now() + 30) == .success)
        #expect(!wasEarly.withLock { $0 })
    }

    /// With a single lock for all keys, no other key could be locked while one is held.
    @Test(.timeLimit(.minutes(1))) func differentKeysAreLockedConcurrently() {
        let locks = KeyedLocks()
        let entered = Observations()
        locks.withLock(FileNaming().name(forKey: "held").digest) {
            let passed = DispatchSemaphore(value: 0)
            for number in 0..<8 {
                Thread.detachNewThread {
                    locks.withLock(FileNaming().name(forKey: "\(number)").digest) {
                        _ = entered.overlaps.wrappingAdd(1, ordering: .relaxed)
                    }
                    passed.signal()
                }
            }
            // Keys share one of 32 locks by chance, but not eight out of eight.
            passed.wait()
            #expect(entered.overlaps.load(ordering: .relaxed) >= 1)
        }
    }
}
