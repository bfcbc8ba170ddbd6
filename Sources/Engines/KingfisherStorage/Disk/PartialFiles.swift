import Foundation
import Glibc
import KingfisherDigests
import Synchronization

/// The bodies of interrupted downloads: named files in the staging folder of a cache, one for each URL.
///
/// A process that writes such a file holds its lock (`flock`), which the kernel drops if the process ends.
/// Another download of the same URL then uses a file without a name. The names are known in memory, so that
/// requests of other URLs do not ask the disk. Safe from any thread.
final class PartialFiles: Sendable {
    private struct Names: Sendable {
        var known: Set<String> = []
        var areKnown = false
        /// Of all files at the last sweep, and of those that were closed since.
        var bytes = 0
        /// Files that were made before the last removal of all files are not kept.
        var generation = 0
    }

    static let prefix = "partial-"
    /// In seconds. Older files are removed.
    static let longestAge: TimeInterval = 7 * 86_400
    /// The most bytes of all files, in a folder without a limit.
    static let mostBytes = 1 << 30

    let staging: Staging
    private let fileSystem: FileSystem
    private let accounting: FolderAccounting
    private let clock: any StorageClock
    private let background: BackgroundWork
    private let names = Mutex(Names())

    init(
        _ staging: Staging, _ accounting: FolderAccounting, clock: any StorageClock,
        background: BackgroundWork
    ) {
        fileSystem = staging.fileSystem
        (self.staging, self.accounting) = (staging, accounting)
        (self.clock, self.background) = (clock, background)
    }

    static func name(for url: String) -> String { prefix + SHA256.hexDigest(of: url) }

    /// Whether there is a file for a URL; nil if this is not known without the disk.
    func contains(_ url: String) -> Bool? {
        names.withLock { names in
            if !names.areKnown { return nil }
            return !names.known.isEmpty && names.known.contains(Self.name(for: url))
        }
    }

    /// Opens the file of a URL and reads all its bytes to verify them. Returns nil if there is none, if it is
    /// in use, or if it is corrupt, in which case it is removed.
    func open(for url: String) -> BodyFile? {
        let name = Self.name(for: url)
        guard let folder = try? staging.open() else { return nil }
        guard let file = lock(name, in: folder, creating: false) else {
            forget(name)
            return nil
        }
        do {
            guard let record = try record(of: file), try fileSystem.status(of: file).size >= record.count,
                let checksum = try verified(record, in: file)
            else {
                // Before the file is closed, which ends the lock.
                remove(name, in: folder)
                close(file)
                return nil
            }
            // Sets the time of the last change, so not without need.
            if try fileSystem.status(of: file).size > record.count {
                try fileSystem.truncate(file, to: record.count)
            }
            return BodyFile(
                file, count: record.count, checksum: checksum, partial: partial(name, in: folder, record),
                fileSystem)
        } catch {
            // As if there were no file; the next sweep retries.
            return nil
        }
    }

    private func close(_ file: consuming FileDescriptor) {}

    private func record(of file: borrowing FileDescriptor) throws(SystemError) -> PartialRecord? {
        try fileSystem.attribute(EntryAttribute.name, of: file).flatMap(PartialRecord.init)
    }

    private func partial(_ name: String, in folder: OpenFolder, _ record: PartialRecord) -> PartialFile {
        PartialFile(name, in: folder, of: self, record, generation: names.withLock(\.generation))
    }

    /// The checksum of the recorded bytes; nil if they have another one.
    private func verified(
        _ record: PartialRecord, in file: borrowing FileDescriptor
    ) throws(SystemError) -> RunningChecksum? {
        var checksum = try RunningChecksum()
        if record.count > 0 {
            let mapping = try FileMapping(file, count: record.count, fileSystem)
            mapping.data.withUnsafeBytes { checksum.append($0) }
        }
        guard checksum.value == record.checksum else { return nil }
        return checksum
    }

    /// Makes an empty file for a resource. Returns nil if another process or transfer uses the name or has
    /// left bytes of the same resource, or if the file system does not support locks or attributes.
    func make(for url: String, _ resource: PartialResource) -> BodyFile? {
        let name = Self.name(for: url)
        guard let folder = try? staging.open(), let file = lock(name, in: folder, creating: true) else {
            return nil
        }
        do throws(SystemError) {
            if let old = try record(of: file), old.resource == resource, old.count > 0 { return nil }
            let checksum = try RunningChecksum()
            let record = PartialRecord(resource, count: 0, checksum: checksum.value)
            try fileSystem.truncate(file, to: 0)
            try fileSystem.setAttribute(EntryAttribute.name, record.encoded, of: file)
            note(name)
            return BodyFile(file, checksum: checksum, partial: partial(name, in: folder, record), fileSystem)
        } catch {
            remove(name, in: folder)
            close(file)
            return nil
        }
    }

    /// Opens a file and takes its lock; nil if that is not possible, or if the name belongs to another file
    /// by now.
    private func lock(_ name: String, in folder: OpenFolder, creating creates: Bool) -> FileDescriptor? {
        let descriptor = folder.file.raw
        do throws(SystemError) {
            let file = try fileSystem.openForWriting(name, in: descriptor, creating: creates)
            guard try fileSystem.tryLock(file) else { return nil }
            let (own, named) = (
                try fileSystem.status(of: file), try fileSystem.status(of: name, in: descriptor)
            )
            guard own.kind == .regular, fileSystem.isPrivate(own), own.isSameFile(as: named) else {
                return nil
            }
            return file
        } catch {
            if creates, error.call == .lock { try? fileSystem.unlink(name, in: descriptor) }
            return nil
        }
    }

    func note(_ name: String) { names.withLock { _ = $0.known.insert(name) } }

    /// Notes a file that a later download can continue. Returns false if it must be removed, because all
    /// files were removed while it was in use.
    func keep(_ name: String, of generation: Int, _ bytes: Int) -> Bool {
        let limit = accounting.cap.partialBytes
        let (isKept, isAboveLimit) = names.withLock { names in
            guard names.generation == generation else { return (false, false) }
            names.known.insert(name)
            names.bytes += bytes
            return (true, names.bytes > limit)
        }
        if isAboveLimit { background.run { [weak self] in self?.sweep() } }
        return isKept
    }

    func forget(_ name: String) { names.withLock { _ = $0.known.remove(name) } }

    // MARK: Sweeps

    private struct LeftoverFile {
        let name: String
        let status: FileStatus
    }

    /// Removes files that are too old, and the oldest ones above a tenth of the cache's limit, except those
    /// in use. Learns the names of the others.
    func sweep() { sweep(limit: accounting.cap.partialBytes) }

    /// Removes all files, those in use when they are closed.
    func removeAll() {
        names.withLock { $0.generation += 1 }
        sweep(limit: -1)
    }

    private func sweep(limit: Int) {
        let started = names.withLock(\.known)
        var found: [LeftoverFile] = []
        if let folder = staging.openIfPresent() {
            let descriptor = folder.file.raw
            try? fileSystem.forEachEntry(of: folder.file, pause: {}) { entry in
                let name = String(cString: entry.name)
                guard name.hasPrefix(Self.prefix),
                    let status = try? fileSystem.status(of: entry.name, in: descriptor)
                else { return }
                found.append(LeftoverFile(name: name, status: status))
            }
            removeSurplus(&found, in: folder, limit: limit)
        }
        names.withLock { names in
            // Files that were made during the sweep are known already.
            names.known.subtract(started)
            names.known.formUnion(found.map(\.name))
            names.areKnown = true
            names.bytes = found.reduce(0) { $0 + $1.status.size }
        }
    }

    private func removeSurplus(_ found: inout [LeftoverFile], in folder: OpenFolder, limit: Int) {
        let now = clock.now
        found.sort { $0.status.modified > $1.status.modified }
        var bytes = 0
        found = found.filter { file in
            bytes += file.status.size
            let isOld = now.timeIntervalSince(file.status.modified) > Self.longestAge
            guard isOld || bytes > limit, removeUnused(file.name, in: folder) else { return true }
            bytes -= file.status.size
            return false
        }
    }

    private func removeUnused(_ name: String, in folder: OpenFolder) -> Bool {
        guard let file = lock(name, in: folder, creating: false) else { return false }
        let isRemoved = (try? fileSystem.unlink(name, in: folder.file.raw)) != nil
        // The lock is held while the name is removed.
        close(file)
        return isRemoved
    }

    func remove(for url: String) {
        guard contains(url) != false, let folder = staging.openIfPresent() else { return }
        let name = Self.name(for: url)
        if removeUnused(name, in: folder) { forget(name) }
    }

    func remove(_ name: String, in folder: OpenFolder) {
        forget(name)
        try? fileSystem.unlink(name, in: folder.file.raw)
    }

    func rename(_ name: String, in folder: OpenFolder, to new: String, in other: CInt) throws(SystemError) {
        try fileSystem.rename(name, in: folder.file.raw, to: new, in: other)
        forget(name)
    }
}

/// The name and the record of a partial file whose lock this process holds.
struct PartialFile: Sendable {
    private let name: String
    private let folder: OpenFolder
    private let files: PartialFiles
    private let generation: Int
    private var record: PartialRecord

    init(
        _ name: String, in folder: OpenFolder, of files: PartialFiles, _ record: PartialRecord,
        generation: Int
    ) {
        (self.name, self.folder, self.files) = (name, folder, files)
        (self.record, self.generation) = (record, generation)
    }

    var resource: PartialResource { record.resource }

    /// Records how many bytes were received, if at least `interval` were since the last time.
    mutating func checkpoint(
        _ count: Int, _ checksum: UInt64, _ file: borrowing FileDescriptor, _ fileSystem: FileSystem,
        every interval: Int
    ) {
        // A complete body needs no record: it is stored, or of no use.
        guard count - record.count >= interval, count < resource.total else { return }
        let new = PartialRecord(resource, count: count, checksum: checksum)
        // After an error the earlier record stays, which describes fewer bytes.
        try? fileSystem.setAttribute(EntryAttribute.name, new.encoded, of: file)
        record = new
    }

    mutating func suspend(
        _ count: Int, _ checksum: UInt64, _ file: borrowing FileDescriptor, _ fileSystem: FileSystem
    ) {
        guard 0..<resource.total ~= count, count > 0, files.keep(name, of: generation, count) else {
            return remove()
        }
        checkpoint(count, checksum, file, fileSystem, every: 1)
    }

    func remove() { files.remove(name, in: folder) }

    func move(to new: String, in other: CInt) throws(SystemError) {
        try files.rename(name, in: folder, to: new, in: other)
    }
}
