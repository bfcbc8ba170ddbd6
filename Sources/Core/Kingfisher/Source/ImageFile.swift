import Foundation
import Glibc
import KingfisherStorage

/// A regular file that may be an image. Its first bytes are read on opening, the rest on demand.
struct ImageFile {
    /// Enough for a signature and camera metadata with a thumbnail.
    private static let startBytes = 256 << 10
    /// Above any image within `ImageLimits`, so that a video is not read into memory before it is rejected.
    static let maximumBytes = 1 << 30

    let start: Data
    /// The version before the first byte was read.
    let version: FileVersion
    private let handle: FileHandle

    /// Opens the file at the path of a file URL, following links. Returns nil if it is not a readable regular
    /// file.
    init?(_ url: URL) {
        guard let path = LocalFilePath(url, ignoresHost: true) else { return nil }
        self.init(path)
    }

    /// Opens a file, following links. Returns nil if it is not a readable regular file, or larger than
    /// `limit`.
    init?(_ path: LocalFilePath, atMost limit: Int = .max) {
        // Without O_NONBLOCK, opening a pipe would block until it has a writer.
        let descriptor = path.withCString { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC) }
        self.init(adopting: descriptor, atMost: limit)
    }

    /// Reads an open file, which it closes. Returns nil for a negative descriptor.
    init?(adopting descriptor: CInt, atMost limit: Int = .max) {
        guard descriptor >= 0 else { return nil }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard let version = FileVersion(descriptor: descriptor), version.size <= limit,
            let start = Self.read(Self.startBytes, from: handle)
        else { return nil }
        self.start = start
        self.version = version
    }

    /// Whether the file has its first version: whether the bytes read so far are of one version.
    var isUnchanged: Bool { FileVersion(descriptor: handle.fileDescriptor) == version }

    /// Whether another user than this one and root owns the file.
    var isForeign: Bool { FileSystem().isForeign(descriptor: handle.fileDescriptor) }

    func all() -> Data? {
        guard version.size <= Self.maximumBytes else { return nil }
        guard version.size > start.count else { return start }
        if let mapped = FileMapping.contents(of: handle.fileDescriptor) { return mapped.keptSafely }
        var data = start
        data.reserveCapacity(version.size)
        // Bytes appended after opening are not read.
        guard let rest = Self.read(version.size - start.count, from: handle) else { return nil }
        data.append(rest)
        return data
    }

    /// Empty at the end of the file; nil after an error.
    private static func read(_ count: Int, from handle: FileHandle) -> Data? {
        do {
            return try handle.read(upToCount: count) ?? Data()
        } catch {
            return nil
        }
    }
}
