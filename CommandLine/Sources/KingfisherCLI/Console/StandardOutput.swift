import Foundation
import Glibc
import Synchronization

/// Standard output. Every write is checked; after the first that fails nothing more is written.
///
/// One for the process, as its descriptor is. Safe from any thread.
enum StandardOutput {
    private static let failure = Mutex<SystemError?>(nil)

    /// Writes all bytes, unless an earlier write has failed.
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

    /// Whether what is written has no reader any more.
    static var isLost: Bool { failure.withLock { $0 != nil } }

    /// Ends the output: throws why some of it could not be written. That the reader of a pipe has left, as
    /// with `| head`, is its own decision and no failure.
    static func finish() throws(SystemError) {
        // Some file systems tell of a failed write only when a descriptor is closed.
        let copy = dup(STDOUT_FILENO)
        let error = copy >= 0 && close(copy) != 0 && errno != EINTR ? SystemError(errno) : nil
        guard let first = failure.withLock({ $0 }) ?? error, first != SystemError(EPIPE) else { return }
        throw first
    }

    /// Occupies the standard descriptors that are closed, so that no file or socket gets their number. Each
    /// is opened the wrong way round: using it still fails.
    static func occupyClosedDescriptors() {
        let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        for (descriptor, mode) in modes where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the descriptor's own.
            _ = open("/dev/null", mode)
        }
    }
}

/// Standard error: a line that cannot be written there has no other place.
enum StandardError {
    static func write(_ text: String) {
        try? OutputFile.write(Data(text.utf8), to: STDERR_FILENO)
    }
}
