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
        let order: WriteRequest
        var isUnderWay = true
        var hasSucceeded = false
    }

    /// What is known of one key. Guarded by the lock.
    private final class Slot: @unchecked Sendable {
        @exclusivity(unchecked) var visitors = 0
        /// Writes that are not done, by their numbers.
        @exclusivity(unchecked) var pending: [UInt64: WriteRequest] = [:]
        /// Changes with the file, as far as this cache changes it; no other slot of the key ever had the
        /// same.
        @exclusivity(unchecked) var version: UInt64
        @exclusivity(unchecked) var image: KFCrossPlatformImage?
        @exclusivity(unchecked) var last: LastWrite?

        init(version: UInt64) { self.version = version }

        /// The last pending write of each file.
        var lastPending: [WriteRequest] {
            var files: [String?: WriteRequest] = [:]
            for number in pending.keys.sorted() {
                if let order = pending[number] { files[order.forcedExtension] = order }
            }
            return Array(files.values)
        }

        var stored: Stored { Stored(isBeingWritten: !pending.isEmpty, image: image) }

        var isIdle: Bool { visitors == 0 && pending.isEmpty }
    }

    private struct State: Sendable {
        var slots: [BytewiseString: Slot] = [:]
        var lastNumber: UInt64 = 0

        mutating func next() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func slot(_ key: BytewiseString) -> Slot {
            if let slot = slots[key] { return slot }
            let slot = Slot(version: next())
            slots[key] = slot
            return slot
        }

        /// Gives a slot another version and forgets its last write, and its image unless that `isKept`;
        /// returns what it forgets.
        mutating func forget(_ slot: Slot, keepingImage isKept: Bool = false) -> Forgotten {
            slot.version = next()
            defer {
                slot.last = nil
                if !isKept { slot.image = nil }
            }
            return Forgotten(last: slot.last, image: slot.image)
        }

        mutating func removeIfIdle(_ key: BytewiseString) -> Slot? {
            guard let index = slots.index(forKey: key), slots.values[index].isIdle else { return nil }
            return slots.remove(at: index).value
        }
    }

    /// What must be released outside the lock.
    private struct Forgotten {
        let last: LastWrite?
        let image: KFCrossPlatformImage?
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

    /// What was stored last: whether its write is under way, and the image, if it is not, or was not long
    /// ago, on disk.
    struct Stored {
        var isBeingWritten = false
        var image: KFCrossPlatformImage?
    }

    /// Says that a request is interested in `key`, until it says `leave`.
    @discardableResult
    func visit(_ key: String) -> Stored {
        let key = BytewiseString(key)
        return state.withLock { state in
            let slot = state.slot(key)
            slot.visitors += 1
            return slot.stored
        }
    }

    func leave(_ key: String) {
        let key = BytewiseString(key)
        let idle = state.withLock { state in
            state.slots[key]?.visitors -= 1
            return state.removeIfIdle(key)
        }
        withExtendedLifetime(idle) {}
    }

    /// A number that changes whenever this cache writes or removes the file; for visitors, others get 0.
    func version(of key: String) -> UInt64 {
        state.withLock { $0.slots[BytewiseString(key)]?.version ?? 0 }
    }

    func stored(forKey key: String) -> Stored {
        state.withLock { $0.slots[BytewiseString(key)]?.stored ?? Stored() }
    }

    /// Has `write` called in the key's queue to carry out `order`, unless an equal one waits for its turn;
    /// `completion` gets the outcome of either, on that queue.
    func write(
        _ order: WriteRequest, forKey key: String, by write: @escaping @Sendable (Job) -> Outcome,
        completion: @escaping Completion
    ) {
        let slotKey = BytewiseString(key)
        let old = state.withLock { state -> Forgotten? in
            let slot = state.slot(slotKey)
            let equal = slot.last.flatMap { $0.order.isSame(as: order) ? $0 : nil }
            if let equal, equal.isUnderWay {
                writes.run(equal.number, work: { _ in }, completion: completion)
                return nil
            }
            let (number, isRepeat) = (state.next(), equal?.hasSucceeded ?? false)
            let old = Forgotten(last: slot.last, image: slot.image)
            slot.pending[number] = order
            if !isRepeat { slot.version = number }
            slot.last = LastWrite(number: number, order: order)
            if case .image(let image, _, _) = order.content { slot.image = image }
            let job = Job(isRepeat: isRepeat, version: slot.version)
            writes.run(number) { leader in
                queue.run(key: key) { [self] in
                    let outcome = write(job)
                    end(number, slotKey, outcome)
                    leader.complete(outcome, keeping: .none)
                }
            } completion: {
                completion($0)
            }
            return old
        }
        withExtendedLifetime(old) {}
    }

    private func end(_ number: UInt64, _ key: BytewiseString, _ outcome: Outcome) {
        let ended = state.withLock { state in
            guard let slot = state.slots[key] else { return (nil as WriteRequest?, nil as Slot?) }
            if slot.last?.number == number {
                slot.last?.isUnderWay = false
                if case .success = outcome { slot.last?.hasSucceeded = true }
            }
            return (slot.pending.removeValue(forKey: number), state.removeIfIdle(key))
        }
        withExtendedLifetime(ended) {}
    }

    /// Has `job` remove the file of a key in its turn; what was stored before is not found any more.
    func remove(_ key: String, by job: @escaping @Sendable () -> Void) {
        let old = state.withLock { state in
            defer { queue.run(key: key, job) }
            return state.slots[BytewiseString(key)].map { state.forget($0) }
        }
        withExtendedLifetime(old) {}
    }

    /// Has `job` remove every file, alone.
    func removeAll(by job: @escaping @Sendable () -> Void) {
        let old = state.withLock { state in
            defer { queue.barrier(job) }
            return state.slots.values.map { state.forget($0) }
        }
        withExtendedLifetime(old) {}
    }

    /// Has the files of a selection removed: `removeFile` those whose writes are under way, which do not tell
    /// yet that they belong to it, each in its turn, and then `job` those that are found in the folder.
    func remove(
        _ selection: EntrySelection, each removeFile: @escaping @Sendable (PendingFile) -> Void,
        then job: @escaping @Sendable () -> Void
    ) {
        let old = state.withLock { state in
            let old = state.slots.compactMap { key, slot -> Forgotten? in
                let pending = slot.lastPending.filter { selection.contains(key: key.text, tags: $0.tags) }
                for order in pending {
                    let file = PendingFile(computedKey: key.text, forcedExtension: order.forcedExtension)
                    queue.run(key: key.text) { removeFile(file) }
                }
                guard
                    !pending.isEmpty
                        || selection.contains(key: key.text, tags: slot.last?.order.tags ?? [])
                else { return nil }
                return state.forget(slot)
            }
            queue.survey(job)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Has `job` remove files that are not needed: an image that was stored may lose its file, but is still
    /// found here.
    func sweep(by job: @escaping @Sendable () -> Void) {
        let old = state.withLock { state in
            defer { queue.survey(job) }
            return state.slots.values.map { state.forget($0, keepingImage: true) }
        }
        withExtendedLifetime(old) {}
    }
}
