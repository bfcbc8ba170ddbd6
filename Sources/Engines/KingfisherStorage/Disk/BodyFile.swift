import CLinux
package import Foundation
import Glibc
import Synchronization

/// A file that receives a response body piece by piece, in a folder from which it can be moved into a cache.
///
/// It has no name, so that nothing is left of it after a crash. The file of a resumable download has a name
/// in `PartialFiles`. Calls are serialized by a lock, under which the file is written.
package final class BodyFile: Sendable {
    private struct State: ~Copyable, Sendable {
        /// Nil once the file was moved, closed or removed.
        var file: FileDescriptor?
        var checksum: RunningChecksum
        var count: Int
        var partial: PartialFile?
        var isComplete = false
    }

    /// Bytes between two checkpoints of a partial file: the most that a killed process loses.
    static let checkpointInterval = 256 << 10

    /// Whether its file system is in memory (tmpfs), so that the bytes occupy memory that the kernel cannot
    /// reclaim.
    package let isInMemory: Bool
    private let hasChecksum: Bool
    private let fileSystem: FileSystem
    private let state: Mutex<State>

    init(
        _ file: consuming FileDescriptor, count: Int = 0, checksum: consuming RunningChecksum,
        hasChecksum: Bool = true, partial: PartialFile? = nil, _ fileSystem: FileSystem
    ) {
        (self.fileSystem, self.hasChecksum) = (fileSystem, hasChecksum)
        isInMemory = kf_linux_is_in_memory(file.raw)
        state = Mutex(State(file: file, checksum: checksum, count: count, partial: partial))
    }

    deinit { close() }

    package var count: Int { state.withLock { $0.count } }

    /// What is known of the resource of a partial file.
    package var resource: PartialResource? { state.withLock { $0.partial?.resource } }

    /// Nil if the file was not made for a cache.
    var checksum: UInt64? { hasChecksum ? state.withLock { $0.checksum.value } : nil }

    /// Appends bytes. After an error the file has the same bytes as before.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            switch state.file {
            case .some(let file):
                try fileSystem.write(bytes, to: file, at: state.count)
                if hasChecksum { state.checksum.append(bytes) }
                state.count += bytes.count
                state.partial?.checkpoint(
                    state.count, state.checksum.value, file, fileSystem, every: Self.checkpointInterval)
            case nil: throw SystemError(.write, code: EBADF, path: "")
            }
        }
    }

    /// The bytes so far, as a mapping. Empty after the file was closed, or if it cannot be mapped.
    package var bytes: Data { (try? mapping()?.data) ?? Data() }

    /// Ends the body and returns its bytes, as a mapping. If that is stored in a cache, the file is moved
    /// there once; otherwise it is removed when the bytes are released.
    package func complete() throws(SystemError) -> Data {
        guard let mapping = try mapping() else {
            if count > 0 { throw SystemError(.map, code: EBADF, path: "") }
            return Data()
        }
        state.withLock { $0.isComplete = true }
        CompleteBodies.add(self)
        return mapping.data
    }

    private func mapping() throws(SystemError) -> FileMapping? {
        try state.withLock { state throws(SystemError) -> FileMapping? in
            switch state.file {
            case .some(let file) where state.count > 0:
                try FileMapping(file, count: state.count, of: self, fileSystem)
            default: nil
            }
        }
    }

    /// Moves the complete file to `name` in `folder` and gives its descriptor to the caller. Returns nil if
    /// it cannot be moved, or was moved before; its bytes can still be copied.
    func take(as name: String, in folder: CInt) -> FileDescriptor? {
        state.withLock { state -> FileDescriptor? in
            guard state.isComplete else { return nil }
            switch state.file {
            case .some(let file):
                do throws(SystemError) {
                    if let partial = state.partial {
                        try partial.move(to: name, in: folder)
                    } else {
                        try fileSystem.link(file, to: name, in: folder)
                    }
                } catch {
                    return nil
                }
            case nil: return nil
            }
            state.partial = nil
            return state.file.take()
        }
    }

    /// Closes the file. An incomplete partial file can be opened again to continue; any other is removed,
    /// unless it was moved into a cache. Has no effect on mappings.
    package func close() {
        state.withLock { state in
            switch state.file {
            case .some(let file):
                if state.isComplete {
                    state.partial?.remove()
                } else {
                    state.partial?.suspend(state.count, state.checksum.value, file, fileSystem)
                }
            case nil: return
            }
            state.file = nil
            state.partial = nil
        }
    }

    /// Closes the file and removes it, even if it could be continued.
    package func discard() {
        state.withLock { state in
            state.partial?.remove()
            state.file = nil
            state.partial = nil
        }
    }
}

/// The complete bodies whose files are open until they are moved into a cache. A program may keep the bytes
/// of any number of downloads, so only the latest files stay open; the bytes of others are copied if they are
/// stored after all.
enum CompleteBodies {
    private struct Reference: Sendable {
        weak let body: BodyFile?
    }

    static let limit = 64
    private static let latest = Mutex<[Reference]>([])

    static func add(_ body: BodyFile) {
        let surplus = latest.withLock { latest in
            latest.removeAll { $0.body == nil }
            latest.append(Reference(body: body))
            return latest.count > limit ? latest.removeFirst().body : nil
        }
        surplus?.close()
    }
}
