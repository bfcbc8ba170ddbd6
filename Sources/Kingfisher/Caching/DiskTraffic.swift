import Foundation
import KingfisherConcurrency
import KingfisherStorage
import Synchronization

/// The order of writes and removals of one cache's files, by computed key.
///
/// Jobs come to the cache's queue in the order in which they are noted here. Requests that have missed memory
/// say that they are there (`visit`) until they are over. Meanwhile, and until it is written, an image that
/// was stored is noted: a request that looks between the end of a download and the end of the write finds it
/// here instead of downloading it again, and so does one that looked at the disk before the write and comes
/// to the network after it. Storing what is about to be stored completes with that write. Safe from any
/// thread.
final class DiskTraffic: Sendable {
    typealias Outcome = Result<(), KingfisherError>
    typealias Completion = @Sendable (Outcome) -> Void

    /// A write, when its turn has come.
    struct Job: Sendable {
        /// The same was written just now: where the file is still there, it only has to live as
        /// if written anew.
        let isRepeat: Bool
        /// The version of the key from now on.
        let version: UInt64
    }

    /// A file that is about to be written.
    struct PendingFile: Sendable {
        let computedKey: String
        let forcedExtension: String?
    }

    private struct LastWrite: Sendable {
        let number: UInt64
        let order: WriteOrder
        var isUnderWay = true
        var hasSucceeded = false
    }

    private struct Slot: Sendable {
        var visitors = 0
        /// Writes that are not done, by their numbers.
        var pending: [UInt64: WriteOrder] = [:]
        /// Changes with the file, as far as this cache changes it; no other slot ever had the same.
        var version: UInt64
        var picture: KFCrossPlatformImage?
        var last: LastWrite?

        /// The last pending write of each file.
        var lastPending: [WriteOrder] {
            var files: [String?: WriteOrder] = [:]
            for number in pending.keys.sorted() {
                if let order = pending[number] { files[order.forcedExtension] = order }
            }
            return Array(files.values)
        }

        var isIdle: Bool { visitors == 0 && pending.isEmpty }
    }

    private struct State: Sendable {
        var slots: [ExactText: Slot] = [:]
        var lastNumber: UInt64 = 0

        mutating func next() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func slot(_ key: ExactText) -> Slot {
            slots[key] ?? Slot(version: next())
        }

        /// Notes that files are removed; returns what was known of them.
        mutating func forget(_ keys: [ExactText]) -> [(key: ExactText, slot: Slot)] {
            let old = keys.compactMap { key in slots[key].map { (key: key, slot: $0) } }
            for (key, _) in old {
                let number = next()
                slots[key]?.version = number
                slots[key]?.picture = nil
                slots[key]?.last = nil
            }
            return old
        }

        /// Takes out what nobody needs any more, to be released outside the lock.
        mutating func removeIfIdle(_ key: ExactText) -> Slot? {
            slots[key]?.isIdle == true ? slots.removeValue(forKey: key) : nil
        }
    }

    private let queue: KeyedQueue
    /// Writes that are under way, by their numbers.
    private let writes: SingleFlight<UInt64, Outcome>
    private let state = Mutex(State())

    /// - Parameters:
    ///   - queue: Where files are written and removed.
    ///   - folder: What errors name.
    init(queue: KeyedQueue, folder: URL) {
        self.queue = queue
        writes = SingleFlight(
            abandoned: .failure(.cacheError(reason: .diskStorageIsNotReady(cacheURL: folder))))
    }

    /// The number of keys that something goes on with.
    var count: Int { state.withLock(\.slots.count) }

    /// Says that a request is interested in `key`, until it says `leave`. Returns whether a write is under
    /// way.
    @discardableResult
    func visit(_ key: String) -> Bool {
        let key = ExactText(key)
        return state.withLock { state in
            var slot = state.slot(key)
            slot.visitors += 1
            state.slots[key] = slot
            return !slot.pending.isEmpty
        }
    }

    func leave(_ key: String) {
        let key = ExactText(key)
        let idle = state.withLock { state in
            state.slots[key]?.visitors -= 1
            return state.removeIfIdle(key)
        }
        withExtendedLifetime(idle) {}
    }

    /// A number that changes whenever this cache writes or removes the file; for visitors, others get 0.
    func version(of key: String) -> UInt64 {
        state.withLock { $0.slots[ExactText(key)]?.version ?? 0 }
    }

    /// The picture that was stored last and is not, or was not long ago, on the disk.
    func picture(forKey key: String) -> KFCrossPlatformImage? {
        state.withLock { $0.slots[ExactText(key)]?.picture }
    }

    /// Has `write` called in the key's queue to carry out `order`, unless an equal one waits for its turn;
    /// `completion` gets the outcome of either, on that queue.
    func write(
        _ order: WriteOrder, forKey key: String, by write: @escaping @Sendable (Job) -> Outcome,
        completion: @escaping Completion
    ) {
        let slotKey = ExactText(key)
        let old = state.withLock { state -> Slot? in
            let old = state.slots[slotKey]
            let equal = old?.last.flatMap { $0.order.isSame(as: order) ? $0 : nil }
            if let equal, equal.isUnderWay {
                writes.run(equal.number, work: { _ in }, completion: completion)
                return nil
            }
            let (number, isRepeat) = (state.next(), equal?.hasSucceeded ?? false)
            var slot = old ?? Slot(version: number)
            slot.pending[number] = order
            if !isRepeat { slot.version = number }
            slot.last = LastWrite(number: number, order: order)
            if case .picture(let picture, _, _) = order.content { slot.picture = picture }
            state.slots[slotKey] = slot
            let job = Job(isRepeat: isRepeat, version: slot.version)
            writes.run(
                number,
                work: { flight in
                    queue.run(key: key) { [self] in
                        let outcome = write(job)
                        end(number, slotKey, outcome)
                        flight.complete(outcome, keeping: .none)
                    }
                }, completion: completion)
            return old
        }
        withExtendedLifetime(old) {}
    }

    private func end(_ number: UInt64, _ key: ExactText, _ outcome: Outcome) {
        let ended = state.withLock { state in
            if state.slots[key]?.last?.number == number {
                state.slots[key]?.last?.isUnderWay = false
                if case .success = outcome { state.slots[key]?.last?.hasSucceeded = true }
            }
            let order = state.slots[key]?.pending.removeValue(forKey: number)
            return (order, state.removeIfIdle(key))
        }
        withExtendedLifetime(ended) {}
    }

    /// Has `job` remove the file of a key in its turn; what was stored before is not found any more.
    func remove(_ key: String, by job: @escaping @Sendable () -> Void) {
        let slotKey = ExactText(key)
        note {
            $0.forget([slotKey])
        } submitting: { _ in
            queue.run(key: key, job)
        }
    }

    /// Has `job` remove every file, alone.
    func removeAll(by job: @escaping @Sendable () -> Void) {
        note {
            $0.forget(Array($0.slots.keys))
        } submitting: { _ in
            queue.barrier(job)
        }
    }

    /// Has the files of a selection removed: `removeFile` those whose writes are under way, which do not tell
    /// yet that they belong to it, each in its turn, and then `job` those that are found in the folder.
    func remove(
        _ selection: EntrySelection, each removeFile: @escaping @Sendable (PendingFile) -> Void,
        then job: @escaping @Sendable () -> Void
    ) {
        note { state in
            state.forget(
                state.slots.filter { key, slot in
                    selection.contains(key: key.text, tags: slot.last?.order.tags ?? [])
                        || slot.lastPending.contains { selection.contains(key: key.text, tags: $0.tags) }
                }.map(\.key))
        } submitting: { slots in
            for (key, slot) in slots {
                for order in slot.lastPending where selection.contains(key: key.text, tags: order.tags) {
                    let file = PendingFile(computedKey: key.text, forcedExtension: order.forcedExtension)
                    queue.run(key: key.text) { removeFile(file) }
                }
            }
            queue.survey(job)
        }
    }

    /// Has `job` remove files that are not needed: an image that was stored may lose its file, but is still
    /// found here.
    func sweep(by job: @escaping @Sendable () -> Void) {
        note { state in
            let old = state.slots.map { (key: $0.key, slot: $0.value) }
            for (key, _) in old {
                let version = state.next()
                state.slots[key]?.version = version
                state.slots[key]?.last = nil
            }
            return old
        } submitting: { _ in
            queue.survey(job)
        }
    }

    private typealias Slots = [(key: ExactText, slot: Slot)]

    /// Changes what is noted, and submits a job in the same step.
    private func note(_ change: (inout State) -> Slots, submitting submit: (Slots) -> Void) {
        let old = state.withLock { state in
            let old = change(&state)
            submit(old)
            return old
        }
        // Released outside the lock.
        withExtendedLifetime(old) {}
    }
}
