import Foundation
import KingfisherConcurrency
import KingfisherStorage
import Synchronization

/// Orders the writes and removals of a cache's files, by computed key.
///
/// Jobs are submitted to the cache's queue in the order of the calls. Requests that have missed memory
/// register their key (`register`) until they end. While a key has requests or pending writes, its slot holds
/// the image that was stored last. So a request that reads the cache between the end of a download and the
/// end of the write finds the image here, and so does one that has read the disk before the write. Both would
/// download it again otherwise. A write that equals a pending one completes with that one. Safe from any
/// thread.
final class DiskTraffic: Sendable {
    typealias Outcome = Result<(), KingfisherError>
    typealias Completion = @Sendable (Outcome) -> Void

    struct Job: Sendable {
        /// Whether an equal write was the last one. If the file still exists, renewing its expiration is
        /// enough.
        let isRepeat: Bool
        let version: UInt64
    }

    struct PendingFile: Sendable {
        let computedKey: String
        let forcedExtension: String?
    }

    private struct LastWrite: Sendable {
        let number: UInt64
        let request: WriteRequest
        var isPending = true
        var hasSucceeded = false
    }

    /// The state of one key. Unchecked: guarded by the lock of `state`.
    ///
    /// `version` changes with each write or removal by this cache. It is never reused, even by a later slot
    /// of the key. `pending` has the writes by number.
    private final class Slot: @unchecked Sendable {
        @exclusivity(unchecked) var requests = 0
        @exclusivity(unchecked) var pending: [UInt64: WriteRequest] = [:]
        @exclusivity(unchecked) var version: UInt64
        @exclusivity(unchecked) var image: KFCrossPlatformImage?
        @exclusivity(unchecked) var last: LastWrite?

        init(version: UInt64) { self.version = version }

        var lastPendingPerFile: [WriteRequest] {
            var files: [String?: WriteRequest] = [:]
            for number in pending.keys.sorted() {
                if let request = pending[number] { files[request.forcedExtension] = request }
            }
            return Array(files.values)
        }

        var stored: Stored { Stored(isBeingWritten: !pending.isEmpty, image: image) }

        var isIdle: Bool { requests == 0 && pending.isEmpty }
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

        mutating func invalidate(_ slot: Slot, keepsImage: Bool = false) -> Released {
            slot.version = next()
            defer {
                slot.last = nil
                if !keepsImage { slot.image = nil }
            }
            return Released(last: slot.last, image: slot.image)
        }

        mutating func removeIfIdle(_ key: BytewiseString) -> Slot? {
            guard let index = slots.index(forKey: key), slots.values[index].isIdle else { return nil }
            return slots.remove(at: index).value
        }
    }

    /// Values to release outside the lock.
    private struct Released {
        let last: LastWrite?
        let image: KFCrossPlatformImage?
    }

    private let queue: KeyedQueue
    private let writes: SingleFlight<UInt64, Outcome>
    private let state = Mutex(State())

    init(queue: KeyedQueue, folder: URL) {
        self.queue = queue
        writes = SingleFlight(
            abandoned: .failure(.cacheError(reason: .diskStorageIsNotReady(cacheURL: folder))))
    }

    var count: Int { state.withLock(\.slots.count) }

    struct Stored {
        var isBeingWritten = false
        /// The image that was stored last, if its write is pending or has ended while the key had requests.
        var image: KFCrossPlatformImage?
    }

    /// Registers a request for `key`, until it calls `unregister`.
    @discardableResult
    func register(_ key: String) -> Stored {
        let key = BytewiseString(key)
        return state.withLock { state in
            let slot = state.slot(key)
            slot.requests += 1
            return slot.stored
        }
    }

    func unregister(_ key: String) {
        let key = BytewiseString(key)
        state.release { state in
            state.slots[key]?.requests -= 1
            return state.removeIfIdle(key)
        }
    }

    /// The version of the file, which changes with each write or removal by this cache. Only valid while the
    /// key has requests.
    func version(of key: String) -> UInt64 {
        state.withLock { $0.slots[BytewiseString(key)]?.version ?? 0 }
    }

    func stored(forKey key: String) -> Stored {
        state.withLock { $0.slots[BytewiseString(key)]?.stored ?? Stored() }
    }

    /// Calls `write` on the key's queue, unless an equal request is pending. `completion` gets the outcome of
    /// the write, on that queue.
    func write(
        _ request: WriteRequest, forKey key: String, by write: @escaping @Sendable (Job) -> Outcome,
        completion: @escaping Completion
    ) {
        let slotKey = BytewiseString(key)
        state.release { state -> Released? in
            let slot = state.slot(slotKey)
            let equal = slot.last.flatMap { $0.request.isSame(as: request) ? $0 : nil }
            if let equal, equal.isPending {
                writes.run(equal.number, work: { _ in }, completion: completion)
                return nil
            }
            let (number, isRepeat) = (state.next(), equal?.hasSucceeded ?? false)
            let old = Released(last: slot.last, image: slot.image)
            slot.pending[number] = request
            if !isRepeat { slot.version = number }
            slot.last = LastWrite(number: number, request: request)
            if case .image(let image, _, _) = request.content { slot.image = image }
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
    }

    private func end(_ number: UInt64, _ key: BytewiseString, _ outcome: Outcome) {
        state.release { state in
            guard let slot = state.slots[key] else { return (nil as WriteRequest?, nil as Slot?) }
            if slot.last?.number == number {
                slot.last?.isPending = false
                if case .success = outcome { slot.last?.hasSucceeded = true }
            }
            return (slot.pending.removeValue(forKey: number), state.removeIfIdle(key))
        }
    }

    func remove(_ key: String, by job: @escaping @Sendable () -> Void) {
        state.release { state in
            defer { queue.run(key: key, job) }
            return state.slots[BytewiseString(key)].map { state.invalidate($0) }
        }
    }

    func removeAll(by job: @escaping @Sendable () -> Void) {
        state.release { state in
            defer { queue.barrier(job) }
            return state.slots.values.map { state.invalidate($0) }
        }
    }

    /// Removes the files of a selection.
    ///
    /// `removeFile` removes each file with a pending write, after that write, because the folder does not
    /// show yet that it belongs to the selection. `job` then removes the files that are in the folder.
    func remove(
        _ selection: EntrySelection, each removeFile: @escaping @Sendable (PendingFile) -> Void,
        then job: @escaping @Sendable () -> Void
    ) {
        state.release { state in
            let old = state.slots.compactMap { key, slot -> Released? in
                let pending = slot.lastPendingPerFile.filter {
                    selection.contains(key: key.text, tags: $0.tags)
                }
                for request in pending {
                    let file = PendingFile(computedKey: key.text, forcedExtension: request.forcedExtension)
                    queue.run(key: key.text) { removeFile(file) }
                }
                guard
                    !pending.isEmpty
                        || selection.contains(key: key.text, tags: slot.last?.request.tags ?? [])
                else { return nil }
                return state.invalidate(slot)
            }
            queue.survey(job)
            return old
        }
    }

    /// Changes the version of each key: what was read from its file before is not shared with later requests.
    func changeVersions() {
        state.release { state in state.slots.values.map { state.invalidate($0, keepsImage: true) } }
    }

    /// Runs `job`, which removes expired and surplus files. An image that was just stored may lose its file,
    /// but is still found here.
    func sweep(by job: @escaping @Sendable () -> Void) {
        state.release { state in
            defer { queue.survey(job) }
            return state.slots.values.map { state.invalidate($0, keepsImage: true) }
        }
    }
}
