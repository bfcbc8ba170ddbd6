import Foundation
import KingfisherStorage
import Synchronization

/// What is going on between the requests of one cache and its files, by computed key.
///
/// Requests that have missed memory say that they are there (`visit`) until they are over. Meanwhile, and
/// until it is written, a picture that was stored is noted: a request that looks between the end of a
/// download and the end of the write finds it here instead of downloading it again, and so does one that
/// looked at the disk before the write and comes to the network after it. Storing what is about to be stored
/// completes with that write. Safe from any thread.
final class DiskTraffic: Sendable {
    typealias Outcome = Result<(), KingfisherError>
    typealias Completion = @Sendable (Outcome) -> Void

    /// What is to be done in a key's lane for an order.
    struct Job: Sendable {
        /// The number to end it with.
        let number: UInt64
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
        /// Who is to hear of each write that is under way.
        var waiting: [UInt64: [Completion]] = [:]
        var lastNumber: UInt64 = 0

        mutating func next() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        mutating func slot(_ key: ExactText) -> Slot {
            slots[key] ?? Slot(version: next())
        }

        mutating func forget(_ key: ExactText) {
            let number = next()
            slots[key]?.version = number
            slots[key]?.picture = nil
            slots[key]?.last = nil
        }

        /// Takes out what nobody needs any more, to be released outside the lock.
        mutating func removeIfIdle(_ key: ExactText) -> Slot? {
            slots[key]?.isIdle == true ? slots.removeValue(forKey: key) : nil
        }
    }

    private let state = Mutex(State())

    /// The number of keys that something goes on with.
    var count: Int { state.withLock(\.slots.count) }

    /// Says that a request is interested in `key`, until it says `leave`.
    func visit(_ key: String) {
        let key = ExactText(key)
        state.withLock { state in
            var slot = state.slot(key)
            slot.visitors += 1
            state.slots[key] = slot
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

    /// Notes that `order` is to be carried out, unless one like it is about to be; `completion`
    /// is called when it was.
    ///
    /// - Parameter submit: Puts the job into the key's lane. It runs under the lock, here and below, so that
    ///   what is noted last is what is done last.
    func begin(
        _ order: WriteOrder, forKey key: String, completion: @escaping Completion, submit: (Job) -> Void
    ) {
        let key = ExactText(key)
        let old = state.withLock { state -> Slot? in
            let old = state.slots[key]
            let equal = old?.last.flatMap { $0.order.isSame(as: order) ? $0 : nil }
            if let equal, equal.isUnderWay {
                state.waiting[equal.number, default: []].append(completion)
                return nil
            }
            let (number, isRepeat) = (state.next(), equal?.hasSucceeded ?? false)
            var slot = old ?? Slot(version: number)
            slot.pending[number] = order
            if !isRepeat { slot.version = number }
            let job = Job(number: number, isRepeat: isRepeat, version: slot.version)
            slot.last = LastWrite(number: job.number, order: order)
            if case .picture(let picture, _, _) = order.content { slot.picture = picture }
            state.slots[key] = slot
            state.waiting[job.number] = [completion]
            submit(job)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Notes what became of a write, and returns who is to hear of it.
    func end(_ number: UInt64, forKey key: String, with outcome: Outcome) -> [Completion] {
        let key = ExactText(key)
        let (completions, order, idle) = state.withLock { state in
            if state.slots[key]?.last?.number == number {
                state.slots[key]?.last?.isUnderWay = false
                if case .success = outcome { state.slots[key]?.last?.hasSucceeded = true }
            }
            let order = state.slots[key]?.pending.removeValue(forKey: number)
            return (state.waiting.removeValue(forKey: number) ?? [], order, state.removeIfIdle(key))
        }
        withExtendedLifetime((order, idle)) {}
        return completions
    }

    /// Notes that the file is to be removed: what was stored before is not to be found any more.
    func noteRemoval(of key: String, submit: () -> Void) {
        let key = ExactText(key)
        noteRemoval {
            $0.slots[key] == nil ? [] : [key]
        } submit: { _ in
            submit()
        }
    }

    /// Notes that every file is to be removed.
    func noteRemovalOfAll(submit: () -> Void) {
        noteRemoval {
            Array($0.slots.keys)
        } submit: { _ in
            submit()
        }
    }

    /// Notes that the files of a selection are to be removed.
    ///
    /// - Parameter submit: Gets the writes of the selection that are under way: their files do not tell yet
    ///   that they belong to it.
    func noteRemoval(of selection: EntrySelection, submit: ([PendingFile]) -> Void) {
        noteRemoval { state in
            state.slots.filter { key, slot in
                selection.contains(key: key.text, tags: slot.last?.order.tags ?? [])
                    || slot.lastPending.contains { selection.contains(key: key.text, tags: $0.tags) }
            }.map(\.key)
        } submit: { slots in
            submit(
                slots.flatMap { key, slot in
                    slot.lastPending.filter { selection.contains(key: key.text, tags: $0.tags) }.map {
                        PendingFile(computedKey: key.text, forcedExtension: $0.forcedExtension)
                    }
                })
        }
    }

    private func noteRemoval(
        of keys: (State) -> [ExactText], submit: ([(key: ExactText, slot: Slot)]) -> Void
    ) {
        let old = state.withLock { state in
            let old = keys(state).compactMap { key in state.slots[key].map { (key: key, slot: $0) } }
            for (key, _) in old { state.forget(key) }
            submit(old)
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Notes that files are to be removed which nobody needs: what was stored may be gone, but
    /// can be handed out.
    func noteSweep(submit: () -> Void) {
        let old = state.withLock { state in
            let old = state.slots
            for key in old.keys {
                let version = state.next()
                state.slots[key]?.version = version
                state.slots[key]?.last = nil
            }
            submit()
            return old
        }
        withExtendedLifetime(old) {}
    }
}
