import Foundation
import Glibc

/// A regular file that may hold an image: its start is read at once, the rest only when it is worth it.
struct ImageFile {
    /// Room for a signature and a camera's metadata, thumbnail included.
    private static let startBytes = 256 << 10
    /// More than any image within `ImageLimits` takes, so that a film is not read into memory to be
    /// refused.
    static let maximumBytes = 1 << 30

    /// The first bytes; all of a short file.
    let start: Data
    private let handle: FileHandle
    private let size: Int

    /// Opens a file; nil for what is no readable regular file, links followed.
    init?(_ url: URL) {
        guard url.isFileURL else { return nil }
        // Without O_NONBLOCK a pipe would block until somebody writes to it.
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

    /// All bytes; nil when they cannot be read or are too many.
    func all() -> Data? {
        guard size <= Self.maximumBytes else { return nil }
        guard size > start.count else { return start }
        var data = start
        data.reserveCapacity(size)
        // What was appended meanwhile is not waited for.
        guard let rest = try? handle.read(upToCount: size - start.count) else { return nil }
        data.append(rest)
        return data
    }
}
