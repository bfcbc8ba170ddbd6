package import Foundation
import Glibc
import KingfisherConcurrency
import Synchronization

/// Operations over the whole folder, asked for by hand. They run beside all others, and take a lane for as
/// long as it takes to remove one file.
extension DiskEngine {
    /// The sum of the payloads' sizes in bytes.
    package func totalSize() throws(DiskStorageFailure) -> UInt64 {
        var total: UInt64 = 0
        try forEachEntry { total &+= UInt64($0.status?.size ?? 0) }
        return total
    }

    /// Removes what expired before or at a date, and returns the names of the files removed.
    ///
    /// A file whose metadata cannot be read counts as expired. Unfinished files that a killed process left
    /// are swept, too. Goes through the whole folder before it throws the first failure.
    package func removeExpired(at date: Date? = nil) throws(DiskStorageFailure) -> [String] {
        try sweepExpired(at: date).get()
    }

    /// `removeExpired(at:)`, with what was removed and what failed. Throws when the folder cannot be listed.
    package func sweepExpired(at date: Date? = nil) throws(DiskStorageFailure) -> SweepOutcome {
        let date = date ?? clock.now
        let lock = SweepLock(of: directory, fileSystem)
        defer { withExtendedLifetime(lock) {} }
        writePendingAccesses()
        var expired: [ScannedEntry] = []
        try forEachEntry { entry in
            if entry.isExpired(at: date) { expired.append(entry) }
        }
        removeLeftovers()
        return remove(expired) { _, status, access in
            status.map { $0.expiry(after: access) <= date } ?? true
        }
    }

    /// When the entries exceed a limit in bytes, removes the least recently used until half of it is left.
    ///
    /// - Parameter limit: zero means no limit.
    /// - Returns: the names of the files removed, the one unused for longest first.
    package func removeSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> [String] {
        try sweepSizeExceeded(limit: limit).get()
    }

    /// `removeSizeExceeded(limit:)`, with what was removed and what failed. Throws when the folder cannot be
    /// listed.
    package func sweepSizeExceeded(limit: UInt64) throws(DiskStorageFailure) -> SweepOutcome {
        guard limit > 0 else { return SweepOutcome() }
        let lock = SweepLock(of: directory, fileSystem)
        defer { withExtendedLifetime(lock) {} }
        writePendingAccesses()
        var survey = Survey()
        try forEachEntry { survey.add($0) }
        guard survey.bytes >= limit else { return SweepOutcome() }
        let now = clock.now
        let victims = survey.victims(leaving: Int(clamping: limit / 2), now: now)
        let outcome = remove(victims) { victim, status, access in victim.isUnused(status, access) }
        let expired = Set(victims.lazy.filter { $0.isExpired(at: now) }.map(\.name.rawValue))
        counts.evictions.add(outcome.removed.count { !expired.contains($0) }, ordering: .relaxed)
        return outcome
    }

    /// Empties the cache folder, or makes it where it is missing, and so makes the storage ready.
    ///
    /// What was stored before is gone when it returns; only what is stored meanwhile is removed with nothing
    /// else running, which takes no time to speak of. Goes through the whole folder before it throws the
    /// first failure.
    package func removeAll() throws(DiskStorageFailure) {
        // What fails here fails again below.
        var names: [EntryName] = []
        try? forEachEntry { names.append($0.name) }
        for name in names { _ = try? remove(name) { _, _ in true } }
        try locks.withBarrier { () throws(DiskStorageFailure) in
            pending.forgetAll()
            removeLeftovers()
            do throws(DiskStorageFailure) {
                if let folder = try openDirectory() { try removeContents(of: folder) }
                books.withLock { $0.tally.noteRemovalOfAll() }
                self.names.clear(isUrgent: true)
            } catch {
                books.withLock { $0.tally.distrust() }
                startUpkeep()
                throw error
            }
            try prepare()
        }
    }
}

extension DiskEngine {
    /// Removes entries that are still victims.
    private func remove(
        _ victims: [ScannedEntry],
        ifStill isVictim: (ScannedEntry, FileStatus?, PendingAccesses.Access?) -> Bool
    ) -> SweepOutcome {
        var outcome = SweepOutcome()
        for victim in victims {
            do {
                if try remove(victim.name, ifStill: { isVictim(victim, $0, $1) }) {
                    outcome.removed.append(victim.name.rawValue)
                }
            } catch {
                outcome.failure = outcome.failure ?? error
            }
        }
        return outcome
    }

    private func removeContents(of folder: borrowing FileDescriptor) throws(DiskStorageFailure) {
        let descriptor = folder.raw
        var firstFailure: DiskStorageFailure?
        try enumerate(folder) { entry in
            // What another process is writing at this moment stays; leftovers are gone already.
            if String(cString: entry.name).hasPrefix(StagingFolder.hiddenPrefix) { return }
            do throws(SystemError) {
                try fileSystem.removeTree(entry.name, in: descriptor)
            } catch {
                let path = directory + "/" + String(cString: entry.name)
                firstFailure = firstFailure ?? .cannotRemove(path: path, error)
            }
        }
        if let firstFailure { throw firstFailure }
    }
}
