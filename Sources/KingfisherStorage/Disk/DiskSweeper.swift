import Dispatch
import Foundation
import Glibc
import Synchronization

/// Goes through the folder and removes entries.
///
/// Runs beside all other operations, and takes an entry's lock only while that is removed; only the end of
/// `removeAll` excludes all others.
final class DiskSweeper: Sendable {
    /// Writing takes far less; what is older was left by a process that ended. In seconds.
    static let leftoverAge: TimeInterval = 3_600
    /// Threads that read attributes in a search, and the files that they are given at a time.
    private static let (readers, batchLength) = (32, 32_768)
    /// Files for which a thread is worth while.
    private static let leastShare = 128

    private let folder: CacheFolder
    private let fileSystem: FileSystem
    private let accounting: FolderAccounting
    private let clock: any StorageClock

    init(_ folder: CacheFolder, _ accounting: FolderAccounting, clock: any StorageClock) {
        fileSystem = folder.fileSystem
        (self.folder, self.accounting, self.clock) = (folder, accounting, clock)
    }

    /// Removes what expired before or at a date; nil is now.
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

    /// When the entries exceed a limit, removes the least recently used until half of it is left.
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

    /// Removes the entries of a selection that were stored before or at a date.
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

    /// Asks about each name on several threads, as each answer may wait for the disk; about few names on this
    /// one.
    private static func inParallel(
        _ names: [String], _ ask: @escaping @Sendable (String) -> Bool
    ) -> [Bool] {
        let share = max((names.count + readers - 1) / readers, leastShare)
        let shares = stride(from: 0, to: names.count, by: share).map {
            names[$0..<min($0 + share, names.count)]
        }
        guard shares.count > 1 else { return names.map(ask) }
        let answers = Mutex([[Bool]](repeating: [], count: shares.count))
        let group = DispatchGroup()
        for (number, share) in shares.enumerated() {
            group.enter()
            // Not a job of a queue: those run as many as there are cores.
            Thread.detachNewThread {
                let own = share.map(ask)
                answers.withLock { $0[number] = own }
                group.leave()
            }
        }
        group.wait()
        return answers.withLock { Array($0.joined()) }
    }

    private func records(ofFile name: String, storedUntil date: Date) -> [EntryRecord]? {
        guard let bytes = try? fileSystem.attribute(EntryAttribute.name, ofPath: folder.path(ofFile: name)),
            case .valid(let attribute) = EntryAttribute.read(bytes),
            // A moment that is still to come is one from before the clock was set back.
            attribute.storedAt <= date || attribute.storedAt > clock.now
        else { return nil }
        return attribute.records
    }

    /// Removes entries that are still victims.
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

    /// Removes an entry unless it has been replaced or renewed since; returns whether it did.
    func remove(_ entry: InspectedEntry) throws(DiskStorageFailure) -> Bool {
        try remove(EntryName(checked: entry.fileName)) { status, access in
            guard let status, status.kind == .regular else { return false }
            return entry.identity.isOf(status, access)
        }
    }

    /// Removes an entry if it is still to be removed, and returns whether it did.
    ///
    /// - Parameter isVictim: Decides in the entry's lock, given the file that has the name now, nil where
    ///   that cannot be told, and an access that waits.
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
                    // What has no readable metadata is removed, if that is possible.
                }
                guard status?.kind != .directory, isVictim(status, accounting.access(of: name)) else {
                    return false
                }
                try accounting.remove(name, old: status) { () throws(SystemError) in
                    try fileSystem.unlink(path)
                }
                return true
            } catch  where error.code == ENOENT {
                // Another process was quicker, and will report it.
                return false
            } catch {
                throw .cannotRemove(path: path, error)
            }
        }
    }

    // MARK: - Everything

    /// Empties the cache folder, or makes it where it is missing.
    ///
    /// Most is removed beside other operations; what was stored meanwhile, with nothing else running.
    func removeAll() throws(DiskStorageFailure) {
        // What fails here fails again below.
        var names: [EntryName] = []
        try? folder.forEachEntry { names.append($0.name) }
        for name in names { _ = try? remove(name) { _, _ in true } }
        try accounting.withAllLocks { () throws(DiskStorageFailure) in
            removeLeftovers()
            do throws(DiskStorageFailure) {
                try removeContents()
            } catch {
                accounting.distrust()
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
            // What another process is writing at this moment stays; leftovers are gone already.
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

    /// Removes unfinished files whose process is gone, and old ones, as far as possible. What has a name of
    /// another form was not made here and stays.
    func removeLeftovers(pause: () -> Void = {}) {
        if let opened = try? fileSystem.openFolder(folder.stagingDirectory, followingLinks: false) {
            removeLeftovers(in: opened, pause: pause) { StagingName($0) }
        }
        if let opened = try? fileSystem.openFolder(folder.directory, followingLinks: true) {
            removeLeftovers(in: opened, pause: pause) { name in
                let prefix = StagingFolder.hiddenPrefix
                return name.hasPrefix(prefix) ? StagingName(name.dropFirst(prefix.count)) : nil
            }
        }
    }

    /// - Parameter stagingName: The name as it was made, or nil for what was not made here.
    private func removeLeftovers(
        in parent: borrowing FileDescriptor, pause: () -> Void, _ stagingName: (String) -> StagingName?
    ) {
        let descriptor = parent.raw
        let youngest = clock.now.addingTimeInterval(-Self.leftoverAge)
        // The next sweep tries again what fails here.
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

/// The result of removing many files.
package struct SweepOutcome: Sendable, Equatable {
    /// The names of those that are gone, in the order of their removal.
    package private(set) var removed: [String] = []
    /// The first failure, if anything failed.
    package private(set) var failure: DiskStorageFailure?

    /// Notes what removing a file came to; `remove` returns whether it is gone.
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
