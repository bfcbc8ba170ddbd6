import Foundation
import Glibc

/// Makes files for response bodies: on the file system of a cache, so that they can be moved into it, or for
/// temporary files. Every call does file work on the caller's thread. Safe from any thread.
package final class BodyFolder: Sendable {
    private let fileSystem: FileSystem
    private let staging: Staging?
    private let partials: PartialFiles?

    init(_ staging: Staging, _ partials: PartialFiles) {
        fileSystem = staging.fileSystem
        (self.staging, self.partials) = (staging, partials)
    }

    private init() {
        fileSystem = FileSystem()
        (staging, partials) = (nil, nil)
    }

    /// For bodies of which no cache is known: in `$TMPDIR`, or in `/var/tmp`, which is for large files.
    package static let temporary = BodyFolder()

    /// Makes a file without a name.
    package func makeFile() throws(SystemError) -> BodyFile {
        let checksum = try RunningChecksum()
        return BodyFile(
            try makeUnnamed(), checksum: checksum, hasChecksum: staging != nil, fileSystem)
    }

    private func makeUnnamed() throws(SystemError) -> FileDescriptor {
        // Two attempts, because another process may have deleted the folder after it was opened.
        for _ in 0..<2 {
            guard let staging, let folder = (try? staging.open()) ?? nil else { break }
            do throws(SystemError) {
                return try makeUnnamed(in: folder)
            } catch {
                // Deleted, read-only or full.
                staging.forget(folder)
            }
        }
        let path = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/var/tmp"
        return try makeUnnamed(in: OpenFolder(try fileSystem.openFolder(path, followingLinks: true)))
    }

    private func makeUnnamed(in folder: OpenFolder) throws(SystemError) -> FileDescriptor {
        let descriptor = folder.file.raw
        do throws(SystemError) {
            return try fileSystem.createUnnamed(in: descriptor)
        } catch  where [EOPNOTSUPP, EISDIR, EINVAL].contains(error.code) {
            // The file system does not support O_TMPFILE. Such a file cannot be given a name again, so a
            // cache copies its bytes.
            let name = StagingFolder(sibling: folder).makeName()
            let file = try fileSystem.create(name, in: descriptor, readable: true)
            try fileSystem.unlink(name, in: descriptor)
            return file
        }
    }

    // MARK: Resumable bodies

    /// Makes a file that a later download of the URL can continue; nil if that is not possible.
    package func makePartial(for url: String, _ resource: PartialResource) -> BodyFile? {
        partials?.make(for: url, resource)
    }

    /// Whether an interrupted download of a URL can be continued; nil if this is not known without the disk.
    package func hasPartial(for url: String) -> Bool? { partials.map { $0.contains(url) } ?? false }

    /// Opens the file of an interrupted download and verifies its bytes, which reads all of them. Nil if
    /// there is none that can be continued.
    package func openPartial(for url: String) -> BodyFile? { partials?.open(for: url) }

    /// Removes the file of an interrupted download, unless a transfer uses it.
    package func removePartial(for url: String) { partials?.remove(for: url) }
}
