import Foundation
import Glibc
import Kingfisher

/// The bytes of a video, which are read on the caller's thread. Safe from any thread.
protocol VideoFile: AnyObject, Sendable {
    var count: Int { get }

    /// All bytes of a range of the file.
    func bytes(_ range: Range<Int>) throws -> [UInt8]
}

/// A regular file.
final class LocalVideoFile: VideoFile {
    let count: Int
    private let descriptor: Int32

    init(_ url: URL) throws {
        // A FIFO must not block.
        descriptor = url.withUnsafeFileSystemRepresentation { path in
            path.map { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) } ?? -1
        }
        guard descriptor >= 0 else { throw Self.lastError }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw VideoFrameError.unreadable("it is not a regular file")
        }
        count = Int(status.st_size)
    }

    deinit { close(descriptor) }

    private static var lastError: VideoFrameError { .unreadable(String(cString: strerror(errno))) }

    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: range.count) { room, done in
            while done < range.count {
                let read = pread(
                    descriptor, room.baseAddress.map { $0 + done }, range.count - done,
                    off_t(range.lowerBound + done))
                if read < 0, errno == EINTR { continue }
                guard read >= 0 else { throw Self.lastError }
                guard read > 0 else { throw VideoFrameError.changed }
                done += read
            }
        }
    }
}
