import Foundation
import Glibc
import KingfisherConcurrency
import Synchronization

/// Accesses that the files' times do not tell yet, and writing them soon after.
///
/// Every read would cost a system call more; gathered, it is one for each file and second. Operations of the
/// same engine count an access from the moment it is noted, those of other processes from the moment it is
/// written.
///
/// An object of its own, which the later write holds: it happens whether or not the engine is still there
/// then, and never in the engine's `deinit`.
final class PendingAccesses: Sendable {
    struct Access: Sendable {
        /// The file as it was when it was read: another one may have its name later.
        let device: UInt64
        let inode: UInt64
        let modified: Date
        /// When it was used last.
        let accessed: Date
        /// The expiry from now on; nil leaves it.
        let expires: Date?
        /// What the file's attribute said, where a later change of it could not go unnoticed.
        let attribute: SeenAttribute?

        func isOf(_ status: FileStatus) -> Bool {
            device == status.device && inode == status.inode && modified == status.modified
        }

        /// What the attribute of this file says, as far as that is known without reading it.
        func reading(of status: FileStatus) -> EntryAttribute.Reading? {
            isOf(status) ? attribute?.reading(of: status) : nil
        }
    }

    /// As many accesses wait at most.
    static let capacity = 16_384
    /// Accesses written between two rests, in a fraction of a millisecond.
    private static let stretch = 32

    private let folder: CacheFolder
    private let locks: KeyedLocks
    private let accesses = Mutex<[EntryName: Access]>([:])
    /// Spares readers the lock, as most of the time nothing waits.
    private let count = Atomic(0)
    private let isWriteAhead = Atomic(false)

    init(in folder: CacheFolder, _ locks: KeyedLocks) {
        self.folder = folder
        self.locks = locks
    }

    /// Notes an access in place of an earlier one; false when too many wait.
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

    /// The access of the file that has a name, if one waits.
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

    /// Writes what waits after a delay in seconds, or when the process ends before that.
    func write(after delay: TimeInterval, on background: BackgroundWork) {
        guard !isWriteAhead.exchange(true, ordering: .sequentiallyConsistent) else { return }
        WritingAtExit.expect(self)
        background.run(after: delay) { self.write(resting: true) }
    }

    /// Writes what waits, one key at a time.
    ///
    /// - Parameter rests: Whether no caller waits for that.
    func write(resting rests: Bool = false) {
        isWriteAhead.store(false, ordering: .sequentiallyConsistent)
        for (number, name) in names.enumerated() {
            if rests, number % Self.stretch == Self.stretch - 1 { BackgroundWork.rest() }
            locks.withLock(name.digest) { writeAccess(of: name) }
        }
        WritingAtExit.forget(self) { !isWriteAhead.load(ordering: .sequentiallyConsistent) }
    }

    /// Writes what waits, except where other threads hold a key's lock until a moment is reached: a process
    /// that ends must not wait for them.
    fileprivate func write(until end: ContinuousClock.Instant) {
        var names = names
        while !names.isEmpty, ContinuousClock.now < end {
            names = names.filter { name in
                ContinuousClock.now < end && !locks.withLockIfAvailable(name.digest) { writeAccess(of: name) }
            }
            if !names.isEmpty { usleep(500) }  // Others hold the locks; the process is about to end.
        }
    }

    /// In the entry's lock only.
    private func writeAccess(of name: EntryName) {
        guard let access = access(of: name) else { return }
        // Only afterwards, so that a concurrent reader learns it from here or from the file.
        defer { forget(name) }
        // The file that was read, or none: its name may lead to another one at any moment.
        guard let file = try? folder.fileSystem.openForReading(folder.path(of: name)),
            let status = try? folder.fileSystem.status(of: file), access.isOf(status)
        else { return }
        // A file of another user keeps its times.
        try? folder.fileSystem.setTimes(of: file, accessed: access.accessed, modified: access.expires)
    }
}

/// The accesses that have to be written when the process ends.
private enum WritingAtExit {
    private static let waiting = Mutex<[ObjectIdentifier: PendingAccesses]>([:])

    /// For all engines together, so that no program takes noticeably longer to end.
    private static let timeout = Duration.milliseconds(200)

    private static let isRegistered: Bool = atexit { WritingAtExit.writeAll() } == 0

    static func expect(_ accesses: PendingAccesses) {
        waiting.withLock { $0[ObjectIdentifier(accesses)] = accesses }
        _ = isRegistered
    }

    /// Unless another access waits by now.
    static func forget(_ accesses: PendingAccesses, if isDone: () -> Bool) {
        waiting.withLock { if isDone() { $0[ObjectIdentifier(accesses)] = nil } }
    }

    private static func writeAll() {
        let end = ContinuousClock.now + timeout
        let waiting = waiting.withLockIfAvailable { Array($0.values) } ?? []
        for accesses in waiting { accesses.write(until: end) }
    }
}

/// What an attribute said, for as long as the file has not changed since.
///
/// Spares the next read of the file a system call, an eighth of its time.
struct SeenAttribute: Sendable {
    private let reading: EntryAttribute.Reading
    /// When the file had last changed: another attribute, too, is a change.
    private let changed: Date

    /// How many seconds ago a file must have changed: some file systems know when that was to the second, and
    /// a change in the same second again could not be told.
    private static let quietTime: TimeInterval = 2

    /// The most bytes of records that are kept: a server may have filled an attribute, and thousands wait.
    static let mostBytes = 512

    /// Nil where the file had just changed, and where too much would have to be kept.
    ///
    /// - Parameter status: Of before the attribute was read.
    init?(_ reading: EntryAttribute.Reading, of status: FileStatus, now: Date) {
        guard status.changed < now - Self.quietTime,
            reading.records.reduce(0, { $0 + $1.bytes.count }) <= Self.mostBytes
        else { return nil }
        self.reading = reading
        changed = status.changed
    }

    /// Nil once the file has changed.
    func reading(of status: FileStatus) -> EntryAttribute.Reading? {
        status.changed == changed ? reading : nil
    }
}

extension FileStatus {
    /// The expiry of this file, given an access that its times may not tell yet.
    func expiry(after access: PendingAccesses.Access?) -> Date {
        guard let access, access.isOf(self) else { return modified }
        return access.expires ?? modified
    }
}
