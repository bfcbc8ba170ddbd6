import Dispatch
import Foundation
import Glibc
import Synchronization

/// Enumerates the folder and removes entries.
///
/// Runs concurrently with all other operations. It takes an entry's lock only to remove that entry; only the
/// end of `removeAll` excludes all others.
final class DiskSweeper: Sendable {
    /// In seconds. Writing takes far less time: an older unfinished file was left by a terminated process.
    static let leftoverAge: TimeInterval = 3_600
    private static let (readers, batchLength) = (32, 32_768)
    private static let leastFilesPerThread = 128

    private let folder: CacheFolder
    private let fileSystem: FileSystem
    private let partials: PartialFiles
    private let accounting: FolderAccounting
    private let clock: any StorageClock

    init(
        _ folder: CacheFolder, _ partials: PartialFiles, _ accounting: FolderAccounting,
        clock: any StorageClock
    ) {
        fileSystem = folder.fileSystem
        (self.folder, self.partials, self.accounting, self.clock) = (folder, partials, accounting, clock)
    }

    func sweepExpired(at date: Date?) throws(DiskStorageFailure) -> SweepOutcome {
        let date = date ?? clock.now
        let lock = SweepLock(of: folder.directory, fileSystem)
        defer { withExtendedLifetime(lock) {} }
        accounting.writeAccesses()
        var expired: [ScannedEntry] = []
        try folder.forEachEntry { entry in
            if entry.isExpired(at: date) { expired.append(entry) }
        }
        removeLeftovers()
        return remove(expired) { _, status, access in
            status.map { $0.expiry(after: access) <= date } ?? true
        }
    }

    func sweepSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> SweepOutcome {
        guard limit > 0 else { return SweepOutcome() }
        let lock = SweepLock(of: folder.directory, fileSystem)
        defer { withExtendedLifetime(lock) {} }
        accounting.writeAccesses()
        var survey = Survey()
        try folder.forEachEntry { survey.add($0) }
        guard survey.bytes >= limit else { return SweepOutcome() }
        let now = clock.now
        let victims = survey.victims(leaving: Int(clamping: limit / 2), now: now)
        let outcome = remove(victims) { victim, status, access in victim.isUnused(status, access) }
        let expired = Set(victims.lazy.filter { $0.isExpired(at: now) }.map(\.name.rawValue))
        accounting.noteEvictions(outcome.removed.count { !expired.contains($0) })
        return outcome
    }

    func sweep(_ selection: EntrySelection, until date: Date) throws(DiskStorageFailure) -> SweepOutcome {
        var outcome = SweepOutcome()
        var files: [(name: String, inode: UInt64)] = []
        let removeMatches = { [self] in
            let isMatch = Self.inParallel(files.map(\.name)) { [self] name in
                records(ofFile: name, storedUntil: date).map(selection.contains) ?? false
            }
            for (file, isMatch) in zip(files, isMatch) where isMatch {
                outcome.note(file.name) { () throws(DiskStorageFailure) in
                    try remove(EntryName(checked: file.name)) { status, _ in
                        status?.kind == .regular && status?.inode == file.inode
                    }
                }
            }
            files.removeAll(keepingCapacity: true)
        }
        try folder.forEachName { entry, _ in
            guard let name = entry.possibleEntry else { return }
            files.append((name, entry.inode))
            if files.count == Self.batchLength { removeMatches() }
        }
        removeMatches()
        return outcome
    }

    /// Evaluates each name on several threads, because each may wait for the disk. Few names are evaluated on
    /// the calling thread.
    private static func inParallel(
        _ names: [String], _ evaluate: @escaping @Sendable (String) -> Bool
    ) -> [Bool] {
        let share = max((names.count + readers - 1) / readers, leastFilesPerThread)
        let shares = stride(from: 0, to: names.count, by: share).map {
            names[$0..<min($0 + share, names.count)]
        }
        guard shares.count > 1 else { return names.map(evaluate) }
        let results = Mutex([[Bool]](repeating: [], count: shares.count))
        let group = DispatchGroup()
        for (number, share) in shares.enumerated() {
            group.enter()
            // Threads, because a dispatch queue would run only one job per core.
            Thread.detachNewThread {
                let own = share.map(evaluate)
                results.withLock { $0[number] = own }
                group.leave()
            }
        }
        group.wait()
        return results.withLock { Array($0.joined()) }
    }

    private func records(ofFile name: String, storedUntil date: Date) -> [EntryRecord]? {
        guard let bytes = try? fileSystem.attribute(EntryAttribute.name, ofPath: folder.path(ofFile: name)),
            case .valid(let attribute) = EntryAttribute.read(bytes),
            // A date in the future was stored before the clock was set back.
            attribute.storedAt <= date || attribute.storedAt > clock.now
        else { return nil }
        return attribute.records
    }

    private func remove(
        _ victims: [ScannedEntry],
        ifStill isVictim: (ScannedEntry, FileStatus?, PendingAccesses.Access?) -> Bool
    ) -> SweepOutcome {
        var outcome = SweepOutcome()
        for victim in victims {
            outcome.note(victim.name.rawValue) { () throws(DiskStorageFailure) in
                try remove(victim.name) { isVictim(victim, $0, $1) }
            }
        }
        return outcome
    }

    // MARK: - One entry

    func remove(_ entry: InspectedEntry) throws(DiskStorageFailure) -> Bool {
        try remove(EntryName(checked: entry.fileName)) { status, access in
            guard let status, status.kind == .regular else { return false }
            return entry.identity.isOf(status, access)
        }
    }

    /// Removes an entry if `isVictim` still holds. Returns whether it was removed.
    ///
    /// - Parameter isVictim: Called under the entry's lock, with the current file's status (nil if it is
    ///   unknown) and a pending access.
    func remove(
        _ name: EntryName, ifStill isVictim: (FileStatus?, PendingAccesses.Access?) -> Bool
    ) throws(DiskStorageFailure) -> Bool {
        let path = folder.path(of: name)
        return try accounting.withLock(of: name) { () throws(DiskStorageFailure) in
            do throws(SystemError) {
                var status: FileStatus?
                do throws(SystemError) {
                    status = try fileSystem.status(of: path)
                } catch  where error.code != ENOENT {
                    // A file without readable metadata is removed if possible.
                }
                guard status?.kind != .directory, isVictim(status, accounting.access(of: name)) else {
                    return false
                }
                try accounting.remove(name, old: status) { () throws(SystemError) in
                    try fileSystem.unlink(path)
                }
                return true
            } catch  where error.code == ENOENT {
                // Another process removed it first and reports it.
                return false
            } catch {
                throw .cannotRemove(path: path, error)
            }
        }
    }

    // MARK: - Everything

    func removeAll() throws(DiskStorageFailure) {
        // Errors are ignored here: they occur again below.
        var names: [EntryName] = []
        try? folder.forEachEntry { names.append($0.name) }
        for name in names { _ = try? remove(name) { _, _ in true } }
        try accounting.withAllLocks { () throws(DiskStorageFailure) in
            removeLeftovers()
            partials.removeAll()
            do throws(DiskStorageFailure) {
                try removeContents()
            } catch {
                accounting.invalidate()
                throw error
            }
            accounting.noteRemovalOfAll()
            try folder.prepare()
        }
    }

    private func removeContents() throws(DiskStorageFailure) {
        var firstFailure: DiskStorageFailure?
        try folder.forEachName { entry, descriptor in
            let name = String(cString: entry.name)
            // Keep the files that other processes are writing now. Leftovers have already been removed.
            if name.hasPrefix(StagingFolder.hiddenPrefix) { return }
            do throws(SystemError) {
                try fileSystem.removeTree(entry.name, in: descriptor)
            } catch {
                firstFailure = firstFailure ?? .cannotRemove(path: folder.path(ofFile: name), error)
            }
        }
        if let firstFailure { throw firstFailure }
    }

    // MARK: - Leftovers

    /// Removes unfinished files of terminated processes, and old ones, as far as possible. Files whose name
    /// has another form were not made by the cache and stay. Interrupted downloads stay within a tenth of the
    /// cache's limit.
    func removeLeftovers(pause: () -> Void = {}) {
        partials.sweep()
        if let opened = partials.staging.openIfPresent() {
            removeLeftovers(in: opened.file, pause: pause) { StagingName($0) }
        }
        if let opened = try? fileSystem.openCacheFolder(folder.directory) {
            removeLeftovers(in: opened, pause: pause) { name in
                let prefix = StagingFolder.hiddenPrefix
                return name.hasPrefix(prefix) ? StagingName(name.dropFirst(prefix.count)) : nil
            }
        }
    }

    private func removeLeftovers(
        in parent: borrowing FileDescriptor, pause: () -> Void, _ stagingName: (String) -> StagingName?
    ) {
        let descriptor = parent.raw
        let youngest = clock.now.addingTimeInterval(-Self.leftoverAge)
        // The next sweep retries what fails here.
        try? fileSystem.forEachEntry(of: parent, pause: pause) { entry in
            guard let name = stagingName(String(cString: entry.name)) else { return }
            if !name.isOrphan {
                guard let status = try? fileSystem.status(of: entry.name, in: descriptor),
                    status.changed < youngest
                else { return }
            }
            try? fileSystem.removeTree(entry.name, in: descriptor)
        }
    }
}

/// The result of a sweep, which continues after an error. A sweep throws only if the folder cannot be listed.
package struct SweepOutcome: Sendable, Equatable {
    package private(set) var removed: [String] = []
    package private(set) var failure: DiskStorageFailure?

    fileprivate mutating func note(_ name: String, _ remove: () throws(DiskStorageFailure) -> Bool) {
        do throws(DiskStorageFailure) {
            if try remove() { removed.append(name) }
        } catch {
            failure = failure ?? error
        }
    }

    func get() throws(DiskStorageFailure) -> [String] {
        if let failure { throw failure }
        return removed
    }
}
