import Glibc

/// Makes sure that only one process, and one engine in it, sweeps a folder at a time.
///
/// It is the advisory lock of the cache folder itself, so it leaves no file behind and works in a read-only
/// parent. The kernel releases it when its holder dies. Two concurrent sweeps do no harm except listing
/// everything twice, so a sweep that does not get the lock in time continues without it.
final class SweepLock: Sendable {
    private let folder: FileDescriptor

    private static let pause: useconds_t = 5_000
    static let mostAttempts = 400

    /// Waits for the lock, at most two seconds by default. Returns nil if it is still held, or if locks are
    /// not supported.
    ///
    /// - Parameter isNeeded: Called before each attempt; false ends the wait.
    init?(
        of directory: String, _ fileSystem: FileSystem, attempts: Int = mostAttempts,
        while isNeeded: () -> Bool = { true }
    ) {
        guard isNeeded(), let folder = try? fileSystem.openFolder(directory, followingLinks: true) else {
            return nil
        }
        for attempt in 1...attempts {
            guard let isLocked = try? fileSystem.tryLock(folder) else { return nil }
            if isLocked {
                self.folder = folder
                return
            }
            guard attempt < attempts else { return nil }
            usleep(Self.pause)
            guard isNeeded() else { return nil }
        }
        return nil
    }
}
