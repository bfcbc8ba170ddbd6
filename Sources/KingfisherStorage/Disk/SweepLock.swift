import Glibc

/// Makes sure that one process at a time, and one engine in it, sweeps a folder.
///
/// It is the advisory lock of the cache folder itself, which leaves no file behind and works where nothing
/// can be made beside that; the kernel frees it when its holder dies. Two sweepers at once would do no harm
/// but list everything twice, so a sweeper that cannot have the lock in time goes on without.
final class SweepLock: Sendable {
    private let folder: FileDescriptor

    /// In microseconds.
    private static let pause: useconds_t = 5_000
    static let mostAttempts = 400

    /// Waits for the lock two seconds at most; nil when others still have it, or there is none here.
    ///
    /// - Parameter isNeeded: Asked before each attempt; false ends the waiting.
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
