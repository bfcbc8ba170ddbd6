import Foundation
import Glibc
import Synchronization

/// Standard output. After the first failed write nothing more is written. Safe from any thread.
enum StandardOutput {
    private static let failure = Mutex<SystemError?>(nil)

    static func write(_ bytes: Data) {
        failure.withLock { failure in
            guard failure == nil else { return }
            do throws(SystemError) {
                try OutputFile.write(bytes, to: STDOUT_FILENO)
            } catch {
                failure = error
            }
        }
    }

    static var isLost: Bool { failure.withLock { $0 != nil } }

    /// Closes the output; throws the first error. A closed pipe, as with `| head`, is not an error.
    static func finish() throws(SystemError) {
        // Some file systems report a failed write only when a descriptor is closed.
        let copy = dup(STDOUT_FILENO)
        let error = copy >= 0 && close(copy) != 0 && errno != EINTR ? SystemError(errno) : nil
        guard let first = failure.withLock({ $0 }) ?? error, first != SystemError(EPIPE) else { return }
        throw first
    }

    /// Opens `/dev/null` for closed standard descriptors, so that no file or socket gets their numbers. The
    /// access mode is the opposite one, so that using them still fails.
    static func occupyClosedDescriptors() {
        let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        for (descriptor, mode) in modes where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number.
            _ = open("/dev/null", mode)
        }
    }
}

/// Standard error. Failed writes are ignored, because they cannot be reported.
enum StandardError {
    static func write(_ text: String) {
        try? OutputFile.write(Data(text.utf8), to: STDERR_FILENO)
    }
}
