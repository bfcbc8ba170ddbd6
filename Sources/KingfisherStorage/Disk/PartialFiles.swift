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
    }

    static let prefix = "partial-"
    /// In seconds. Older files are removed.
    static let longestAge: TimeInterval = 7 * 86_400
    /// The most bytes of all files, in a folder without a limit.
    static let mostBytes = 1 << 30

    private let staging: Staging
    private let fileSystem: FileSystem
    private let names = Mutex(Names())

    init(_ staging: Staging) {
        self.staging = staging
        fileSystem = staging.fileSystem
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
            if let body = try resumed(file, PartialFile(name, in: folder, of: self, nil)) { return body }
        } catch {
            // As if there were no file; the next sweep retries.
        }
        return nil
    }

    private func resumed(
        _ file: consuming FileDescriptor, _ found: PartialFile
    ) throws(SystemError) -> BodyFile? {
        guard let bytes = try fileSystem.attribute(EntryAttribute.name, of: file),
            let record = PartialRecord(bytes), try fileSystem.status(of: file).size >= record.count
        else {
            found.remove()
            return nil
        }
        var checksum = try RunningChecksum()
        if record.count > 0 {
            let mapping = try FileMapping(file, count: record.count, fileSystem)
            mapping.data.withUnsafeBytes { checksum.append($0) }
        }
        guard checksum.value == record.checksum else {
            found.remove()
            return nil
        }
        try fileSystem.truncate(file, to: record.count)
        var partial = found
        partial.begin(record)
        return BodyFile(file, count: record.count, checksum: checksum, partial: partial, fileSystem)
    }

    /// Makes an empty file for a resource. Returns nil if another process or transfer uses the name, or if
    /// the file system does not support locks or attributes.
    func make(for url: String, _ resource: PartialResource) -> BodyFile? {
        let name = Self.name(for: url)
        guard let folder = try? staging.open(), let file = lock(name, in: folder, creating: true) else {
            return nil
        }
        var partial = PartialFile(name, in: folder, of: self, nil)
        do throws(SystemError) {
            let checksum = try RunningChecksum()
            let record = PartialRecord(resource, count: 0, checksum: checksum.value)
            try fileSystem.truncate(file, to: 0)
            try fileSystem.setAttribute(EntryAttribute.name, record.encoded, of: file)
            partial.begin(record)
            note(name)
            return BodyFile(file, checksum: checksum, partial: partial, fileSystem)
        } catch {
            partial.remove()
            return nil
        }
    }

    /// Opens a file and takes its lock; nil if that is not possible, or if the name is that of another file
    /// by now.
    private func lock(_ name: String, in folder: OpenFolder, creating creates: Bool) -> FileDescriptor? {
        let descriptor = folder.file.raw
        do throws(SystemError) {
            let file = try fileSystem.openForWriting(name, in: descriptor, creating: creates)
            guard try fileSystem.tryLock(file) else { return nil }
            let (own, named) = (
                try fileSystem.status(of: file), try fileSystem.status(of: name, in: descriptor)
            )
            guard own.kind == .regular, own.isSameFile(as: named) else { return nil }
            return file
        } catch {
            return nil
        }
    }

    func note(_ name: String) { names.withLock { _ = $0.known.insert(name) } }

    func forget(_ name: String) { names.withLock { _ = $0.known.remove(name) } }

    // MARK: Sweeps

    private struct Found {
        let name: String
        let status: FileStatus
    }

    /// Removes files that are too old, and the oldest ones above `limit` bytes, except those in use. Learns
    /// the names of the others.
    func sweep(limit: Int, now: Date) {
        let started = names.withLock(\.known)
        var found: [Found] = []
        if let folder = staging.openIfPresent() {
            let descriptor = folder.file.raw
            try? fileSystem.forEachEntry(of: folder.file, pause: {}) { entry in
                let name = String(cString: entry.name)
                guard name.hasPrefix(Self.prefix),
                    let status = try? fileSystem.status(of: entry.name, in: descriptor)
                else { return }
                found.append(Found(name: name, status: status))
            }
            removeSurplus(&found, in: folder, limit: limit, now: now)
        }
        names.withLock { names in
            // Files that were made during the sweep are known already.
            names.known.subtract(started)
            names.known.formUnion(found.map(\.name))
            names.areKnown = true
        }
    }

    private func removeSurplus(_ found: inout [Found], in folder: OpenFolder, limit: Int, now: Date) {
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
        // The lock is held while the name is removed.
        defer { _ = file }
        return (try? fileSystem.unlink(name, in: folder.file.raw)) != nil
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
    private var record: PartialRecord?

    init(_ name: String, in folder: OpenFolder, of files: PartialFiles, _ record: PartialRecord?) {
        (self.name, self.folder, self.files, self.record) = (name, folder, files, record)
    }

    var resource: PartialResource? { record?.resource }

    mutating func begin(_ record: PartialRecord) { self.record = record }

    /// Records how many bytes were received, if enough were received since the last time.
    mutating func checkpointIfDue(
        _ count: Int, _ checksum: UInt64, _ file: borrowing FileDescriptor, _ fileSystem: FileSystem
    ) {
        guard let record, count - record.count >= BodyFile.checkpointInterval else { return }
        checkpoint(count, checksum, file, fileSystem)
    }

    private mutating func checkpoint(
        _ count: Int, _ checksum: UInt64, _ file: borrowing FileDescriptor, _ fileSystem: FileSystem
    ) {
        // A complete body needs no record: it is stored, or of no use.
        guard let resource, count < resource.total else { return }
        let new = PartialRecord(resource, count: count, checksum: checksum)
        // After an error the earlier record stays, which describes fewer bytes.
        try? fileSystem.setAttribute(EntryAttribute.name, new.encoded, of: file)
        record = new
    }

    mutating func suspend(
        _ count: Int, _ checksum: UInt64, _ file: borrowing FileDescriptor, _ fileSystem: FileSystem
    ) {
        guard count > 0 else { return remove() }
        checkpoint(count, checksum, file, fileSystem)
        // Forgotten if another request tried to open it in the meantime.
        files.note(name)
    }

    func remove() { files.remove(name, in: folder) }

    func move(to new: String, in other: CInt) throws(SystemError) {
        try files.rename(name, in: folder, to: new, in: other)
    }
}
