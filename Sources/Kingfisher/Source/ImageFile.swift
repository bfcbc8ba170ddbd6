import Foundation
import Glibc

/// A regular file that may be an image. Its first bytes are read on opening, the rest on demand.
struct ImageFile {
    /// Enough for a signature and camera metadata with a thumbnail.
    private static let startBytes = 256 << 10
    /// Above any image within `ImageLimits`, so that a video is not read into memory before it is rejected.
    static let maximumBytes = 1 << 30

    let start: Data
    private let handle: FileHandle
    private let size: Int

    /// Opens a file, following links. Returns nil if it is not a readable regular file.
    init?(_ url: URL) {
        guard url.isFileURL else { return nil }
        // Without O_NONBLOCK, opening a pipe would block until it has a writer.
        let descriptor = open(url.path(percentEncoded: false), O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let start = try? handle.read(upToCount: Self.startBytes)
        else { return nil }
        self.start = start
        size = Int(status.st_size)
    }

    func all() -> Data? {
        guard size <= Self.maximumBytes else { return nil }
        guard size > start.count else { return start }
        var data = start
        data.reserveCapacity(size)
        // Bytes appended after opening are not read.
        guard let rest = try? handle.read(upToCount: size - start.count) else { return nil }
        data.append(rest)
        return data
    }
}
