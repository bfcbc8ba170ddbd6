import Foundation
import Glibc
import KingfisherConcurrency
import Synchronization

/// Writes the accesses of one engine that wait into the files' times.
///
/// An object of its own, which whoever is to write them later holds on to: they are written whether or not
/// the engine is still there then, and never by whoever happens to release it.
final class AccessWriter: Sendable {
    let pending = PendingAccesses()
    let locks = KeyedLocks()
    private let pathPrefix: String
    private let fileSystem: FileSystem
    private let isAhead = Atomic(false)

    /// Accesses written between two rests, in a fraction of a millisecond.
    private static let stretch = 32

    init(pathPrefix: String, fileSystem: FileSystem) {
        self.pathPrefix = pathPrefix
        self.fileSystem = fileSystem
    }

    /// Has what waits written after a delay in seconds, or when the process ends before that.
    func write(after delay: TimeInterval, on background: BackgroundWork) {
        guard !isAhead.exchange(true, ordering: .sequentiallyConsistent) else { return }
        WritingAtExit.expect(self)
        background.run(after: delay) { self.write(resting: true) }
    }

    /// Writes what waits, one key at a time.
    ///
    /// - Parameter rests: Whether nobody waits for that.
    func write(resting rests: Bool = false) {
        isAhead.store(false, ordering: .sequentiallyConsistent)
        for (number, name) in pending.names.enumerated() {
            if rests, number % Self.stretch == Self.stretch - 1 { BackgroundWork.rest() }
            locks.withLock(name.digest) { writeAccess(of: name) }
        }
        WritingAtExit.forget(self) { !isAhead.load(ordering: .sequentiallyConsistent) }
    }

    /// Writes what waits, except where others hold a key's lock until a moment is reached: a process
    /// that ends must not wait for them.
    func write(until end: ContinuousClock.Instant) {
        var names = pending.names
        while !names.isEmpty, ContinuousClock.now < end {
            names = names.filter { name in
                ContinuousClock.now < end && !locks.withLockIfAvailable(name.digest) { writeAccess(of: name) }
            }
            if !names.isEmpty { usleep(500) }
        }
    }

    /// Under the entry's lock only.
    private func writeAccess(of name: EntryName) {
        guard let access = pending.access(of: name) else { return }
        // Only afterwards, so that whoever looks meanwhile learns it from here or from the file.
        defer { pending.forget(name) }
        // The file that was read, or none: its name may lead to another one at any moment.
        guard let file = try? fileSystem.openForReading(pathPrefix + name.rawValue),
            let status = try? fileSystem.status(of: file), access.isOf(status)
        else { return }
        // A file of somebody else keeps its times.
        try? fileSystem.setTimes(of: file, accessed: access.accessed, modified: access.expires)
    }
}

/// The writers that have something to write when the process ends.
private enum WritingAtExit {
    private static let writers = Mutex<[ObjectIdentifier: AccessWriter]>([:])

    /// For all writers together, so that no program takes noticeably longer to end.
    private static let patience = Duration.milliseconds(200)

    private static let isRegistered: Bool = atexit { WritingAtExit.writeAll() } == 0

    static func expect(_ writer: AccessWriter) {
        writers.withLock { $0[ObjectIdentifier(writer)] = writer }
        _ = isRegistered
    }

    /// Unless another access waits by now.
    static func forget(_ writer: AccessWriter, if isDone: () -> Bool) {
        writers.withLock { if isDone() { $0[ObjectIdentifier(writer)] = nil } }
    }

    private static func writeAll() {
        let end = ContinuousClock.now + patience
        let writers = writers.withLockIfAvailable { Array($0.values) } ?? []
        for writer in writers { writer.write(until: end) }
    }
}
