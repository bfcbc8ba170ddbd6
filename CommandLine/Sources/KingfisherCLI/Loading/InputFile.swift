import Dispatch
import Foundation
import Glibc
import Kingfisher

/// A file as a source. The library's own provider opens only files with UTF-8 names.
struct InputFile: ImageDataProvider {
    /// A file URL whose path may contain bytes that are not UTF-8 (`SystemText`).
    let url: URL
    let cacheKey: String

    var contentURL: URL? { url }

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        // Reading a pipe may block.
        DispatchQueue.global(qos: .userInitiated).async { [url] in
            handler(Result { try Self.bytes(of: url.path) })
        }
    }

    private static let limit = 1 << 30
    private static let partLength = 1 << 18

    /// Reads a file or pipe to its end, or at most `count` bytes. Throws if it cannot be read, or if it is
    /// larger than 1 GiB.
    static func bytes(of path: String, atMost count: Int = .max) throws(SystemError) -> Data {
        let descriptor = try SystemError.check(path.withSystemPath { open($0, O_RDONLY | O_CLOEXEC) })
        defer { close(descriptor) }
        return try bytes(from: descriptor, atMost: count)
    }

    static func bytes(
        from descriptor: Int32, atMost count: Int = .max
    ) throws(SystemError) -> Data {
        var status = stat()
        try SystemError.check(fstat(descriptor, &status))
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFIFO, S_IFSOCK: break
        case S_IFDIR: throw SystemError(EISDIR)
        // A device may be endless.
        default: throw SystemError(ENODEV)
        }
        let expected = min(max(0, Int(status.st_size)), count)
        guard expected <= limit else { throw SystemError(EFBIG) }
        var bytes = Data(capacity: expected)
        var part = [UInt8](repeating: 0, count: partLength)
        while bytes.count < count {
            let received = read(descriptor, &part, min(part.count, count - bytes.count))
            if received < 0, errno == EINTR { continue }
            guard try SystemError.check(Int32(clamping: received)) > 0 else { break }
            guard bytes.count + received <= limit else { throw SystemError(EFBIG) }
            bytes.append(contentsOf: part[..<received])
        }
        return bytes
    }
}

/// Standard input as a source, read to its end. It is not cached, because it has no name.
struct StandardInput: ImageDataProvider {
    let cacheKey = "-"

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try InputFile.bytes(from: STDIN_FILENO) })
        }
    }
}
