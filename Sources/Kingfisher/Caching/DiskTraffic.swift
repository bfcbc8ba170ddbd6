import Foundation
import KingfisherStorage
import Synchronization

/// What is going on between the requests of one cache and its files, by computed key.
///
/// Requests that have missed memory say that they are there (`visit`) until they are over. Meanwhile, and until it is
/// written, a picture that was stored is noted: a request that looks between the end of a download and the end of the
/// write finds it here instead of downloading it again, and so does one that looked at the disk before the write and
/// comes to the network after it. Storing what was just stored writes nothing, and completes with that write. Safe
/// from any thread.
final class DiskTraffic: Sendable {
    typealias Outcome = Result<(), KingfisherError>
    typealias Completion = @Sendable (Outcome) -> Void

    /// What somebody who wants something written has to do.
    enum Turn: Sendable {
        /// Write it, and end the write with this number.
        case write(UInt64)
        /// It is being written; the completion will be called.
        case wait
        /// It was written just now.
        case written
    }

    private struct LastWrite: Sendable {
        let number: UInt64
        let order: WriteOrder
        var outcome: Outcome?
    }

    private struct Slot: Sendable {
        var visitors = 0
        var pendingWrites = 0
        /// Changes with the file, as far as this cache changes it; no other slot ever had the same.
        var version: UInt64
        var picture: KFCrossPlatformImage?
        var last: LastWrite?

        var isIdle: Bool { visitors == 0 && pendingWrites == 0 }
    }

    private struct State: Sendable {
        var slots: [String: Slot] = [:]
        /// Who is to hear of each write that is under way.
        var waiting: [UInt64: [Completion]] = [:]
        var lastNumber: UInt64 = 0

        mutating func next() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func slot(_ key: String) -> Slot {
            slots[key] ?? Slot(version: next())
        }

        mutating func forget(_ key: String) {
            let number = next()
            slots[key]?.version = number
            slots[key]?.picture = nil
            slots[key]?.last = nil
        }

        /// Takes out what nobody needs any more, to be released outside the lock.
        mutating func removeIfIdle(_ key: String) -> Slot? {
            slots[key]?.isIdle == true ? slots.removeValue(forKey: key) : nil
        }
    }

    private let state = Mutex(State())

    /// The number of keys that something goes on with.
    var count: Int { state.withLock(\.slots.count) }

    /// Says that a request is interested in `key`, until it says `leave`.
    func visit(_ key: String) {
        state.withLock { state in
            var slot = state.slot(key)
            slot.visitors += 1
            state.slots[key] = slot
        }
    }

    func leave(_ key: String) {
        let idle = state.withLock { state in
            state.slots[key]?.visitors -= 1
            return state.removeIfIdle(key)
        }
        withExtendedLifetime(idle) {}
    }

    /// A number that changes whenever this cache writes or removes the file; for visitors, others get 0.
    func version(of key: String) -> UInt64 {
        state.withLock { $0.slots[key]?.version ?? 0 }
    }

    /// The picture that was stored last and is not, or was not long ago, on the disk.
    func picture(forKey key: String) -> KFCrossPlatformImage? {
        state.withLock { $0.slots[key]?.picture }
    }

    /// Notes that `order` is to be carried out; `completion` is called when it was, unless it was before.
    func begin(_ order: WriteOrder, forKey key: String, completion: @escaping Completion) -> Turn {
        let (turn, old) = state.withLock { state -> (Turn, Slot?) in
            let old = state.slots[key]
            if let last = old?.last, last.order.isSame(as: order) {
                switch last.outcome {
                case .success?: return (.written, nil)
                case .failure?: break
                case nil:
                    state.waiting[last.number, default: []].append(completion)
                    return (.wait, nil)
                }
            }
            let number = state.next()
            var slot = old ?? Slot(version: number)
            slot.pendingWrites += 1
            slot.version = number
            slot.last = LastWrite(number: number, order: order)
            if case .picture(let picture, _, _) = order.content { slot.picture = picture }
            state.slots[key] = slot
            state.waiting[number] = [completion]
            return (.write(number), old)
        }
        withExtendedLifetime(old) {}
        return turn
    }

    /// Notes what became of a write, and returns who is to hear of it.
    func end(_ number: UInt64, forKey key: String, with outcome: Outcome) -> [Completion] {
        let (completions, idle) = state.withLock { state in
            if state.slots[key]?.last?.number == number { state.slots[key]?.last?.outcome = outcome }
            state.slots[key]?.pendingWrites -= 1
            return (state.waiting.removeValue(forKey: number) ?? [], state.removeIfIdle(key))
        }
        withExtendedLifetime(idle) {}
        return completions
    }

    /// Notes that the file is to be removed: what was stored before is not to be found any more.
    func noteRemoval(of key: String) {
        let old = state.withLock { state -> Slot? in
            let old = state.slots[key]
            if old != nil { state.forget(key) }
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Notes that every file is to be removed.
    func noteRemovalOfAll() {
        let old = state.withLock { state in
            let old = state.slots
            for key in old.keys { state.forget(key) }
            return old
        }
        withExtendedLifetime(old) {}
    }
}
