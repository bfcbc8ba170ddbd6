import Foundation
import Glibc
import KingfisherConcurrency
import Synchronization

/// Accesses that are not in the files' times yet, and their delayed write.
///
/// Writing each access immediately would add a system call to every read; collected, there is at most one per
/// file and second. Operations of the same engine see an access when it is noted, operations of other
/// processes when it is written.
///
/// This is a separate object, so that the delayed write happens even after the engine is deallocated, and
/// never in the engine's `deinit`.
final class PendingAccesses: Sendable {
    struct Access: Sendable {
        /// The file that was read: another file may have its name later.
        let device: UInt64
        let inode: UInt64
        let modified: Date
        let accessed: Date
        /// The new expiry; nil leaves it unchanged.
        let expires: Date?
        /// The file's attribute; nil if a later change of it might go unnoticed.
        let attribute: CachedAttribute?

        func isOf(_ status: FileStatus) -> Bool {
            device == status.device && inode == status.inode && modified == status.modified
        }

        func reading(of status: FileStatus) -> EntryAttribute.Reading? {
            isOf(status) ? attribute?.reading(of: status) : nil
        }
    }

    static let capacity = 16_384
    /// Accesses written between two rests; they take a fraction of a millisecond.
    private static let stretch = 32

    private let folder: CacheFolder
    private let locks: KeyedLocks
    private let accesses = Mutex<[EntryName: Access]>([:])
    /// Lets readers skip the lock, because usually no access is pending.
    private let count = Atomic(0)
    private let isWriteScheduled = Atomic(false)

    init(in folder: CacheFolder, _ locks: KeyedLocks) {
        self.folder = folder
        self.locks = locks
    }

    func note(_ access: Access, of name: EntryName) -> Bool {
        accesses.withLock { accesses in
            guard accesses.updateValue(access, forKey: name) == nil else { return true }
            guard accesses.count <= Self.capacity else {
                accesses[name] = nil
                return false
            }
            count.store(accesses.count, ordering: .relaxed)
            return true
        }
    }

    func access(of name: EntryName) -> Access? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return accesses.withLock { $0[name] }
    }

    func forget(_ name: EntryName) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        accesses.withLock { accesses in
            accesses[name] = nil
            count.store(accesses.count, ordering: .relaxed)
        }
    }

    func forgetAll() {
        accesses.withLock { accesses in
            accesses = [:]
            count.store(0, ordering: .relaxed)
        }
    }

    private var names: [EntryName] { accesses.withLock { Array($0.keys) } }

    // MARK: - Writing

    /// Writes the pending accesses after a delay in seconds, or at exit if the process ends earlier.
    func write(after delay: TimeInterval, on background: BackgroundWork) {
        guard !isWriteScheduled.exchange(true, ordering: .sequentiallyConsistent) else { return }
        WritingAtExit.expect(self)
        background.run(after: delay) { self.write(resting: true) }
    }

    func write(resting rests: Bool = false) {
        isWriteScheduled.store(false, ordering: .sequentiallyConsistent)
        for (number, name) in names.enumerated() {
            if rests, number % Self.stretch == Self.stretch - 1 { BackgroundWork.rest() }
            locks.withLock(name.digest) { writeAccess(of: name) }
        }
        WritingAtExit.forget(self) { !isWriteScheduled.load(ordering: .sequentiallyConsistent) }
    }

    /// Writes the pending accesses until a deadline, and does not block on locks: a process that exits must
    /// not wait for other threads.
    fileprivate func write(until end: ContinuousClock.Instant) {
        var names = names
        while !names.isEmpty, ContinuousClock.now < end {
            names = names.filter { name in
                ContinuousClock.now < end && !locks.withLockIfAvailable(name.digest) { writeAccess(of: name) }
            }
            if !names.isEmpty { usleep(500) }  // Other threads hold the locks.
        }
    }

    /// Call it only under the entry's lock.
    private func writeAccess(of name: EntryName) {
        guard let access = access(of: name) else { return }
        // Forget it only after it was written, so that a concurrent reader finds it here or in the file.
        defer { forget(name) }
        // Open the file once: another file may get its name at any time.
        guard let file = try? folder.fileSystem.openForReading(folder.path(of: name)),
            let status = try? folder.fileSystem.status(of: file), access.isOf(status)
        else { return }
        // Fails for a file of another user, which keeps its times.
        try? folder.fileSystem.setTimes(of: file, accessed: access.accessed, modified: access.expires)
    }
}

private enum WritingAtExit {
    private static let waiting = Mutex<[ObjectIdentifier: PendingAccesses]>([:])

    /// For all engines together, so that no program takes noticeably longer to exit.
    private static let timeout = Duration.milliseconds(200)

    private static let isRegistered: Bool = atexit { WritingAtExit.writeAll() } == 0

    static func expect(_ accesses: PendingAccesses) {
        waiting.withLock { $0[ObjectIdentifier(accesses)] = accesses }
        _ = isRegistered
    }

    static func forget(_ accesses: PendingAccesses, if isDone: () -> Bool) {
        waiting.withLock { if isDone() { $0[ObjectIdentifier(accesses)] = nil } }
    }

    private static func writeAll() {
        let end = ContinuousClock.now + timeout
        let waiting = waiting.withLockIfAvailable { Array($0.values) } ?? []
        for accesses in waiting { accesses.write(until: end) }
    }
}

/// The decoded attribute of a file, valid while the file has not changed.
///
/// It saves the next read of the file a system call, an eighth of its time.
struct CachedAttribute: Sendable {
    private let reading: EntryAttribute.Reading
    private let changed: Date

    /// The minimum age of a change in seconds. Some file systems have a resolution of one second, so another
    /// change in the same second could not be detected.
    private static let quietTime: TimeInterval = 2

    /// The maximum size of the stored records: a server may have filled an attribute, and thousands of
    /// accesses may be pending.
    static let mostBytes = 512

    /// Returns nil if the file has just changed, or if the records are too large.
    ///
    /// - Parameter status: The status before the attribute was read.
    init?(_ reading: EntryAttribute.Reading, of status: FileStatus, now: Date) {
        guard status.changed < now - Self.quietTime,
            reading.records.reduce(0, { $0 + $1.bytes.count }) <= Self.mostBytes
        else { return nil }
        self.reading = reading
        changed = status.changed
    }

    func reading(of status: FileStatus) -> EntryAttribute.Reading? {
        status.changed == changed ? reading : nil
    }
}

extension FileStatus {
    func expiry(after access: PendingAccesses.Access?) -> Date {
        guard let access, access.isOf(self) else { return modified }
        return access.expires ?? modified
    }
}
