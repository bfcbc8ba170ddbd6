import Glibc
import KingfisherConcurrency
import Synchronization

/// Reports new names in folders, from this process and others, to filters, by inotify(7). Safe to use from
/// any thread.
///
/// All folders share one inotify instance, because a user may have only few. Events wait in the kernel until
/// `takeEvents()`; there is no thread.
final class FolderWatch: Sendable {
    static let shared = FolderWatch()

    private static let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// The maximum number of buffers read per call, about two thousand events, because a caller waits.
    private static let mostReads = 4

    private let descriptor: CInt?
    private let filters = WeakTable<CInt, NameFilter, Void>()
    /// Locked while events are read and delivered, to preserve their order.
    private let reading = Mutex(())
    /// Locked while watches start and end, which may wait for a file system.
    private let changing = Mutex(())

    init() {
        descriptor = InotifyInstance.open()
    }

    deinit { if let descriptor { _ = close(descriptor) } }

    var isAvailable: Bool { descriptor != nil }

    var waitingBytes: Int {
        var count: CInt = 0
        guard let descriptor, ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
        return Int(count)
    }

    func begin(_ directory: String, for filter: NameFilter) -> CInt? {
        guard let descriptor else { return nil }
        return changing.withLock { _ in
            let number = inotify_add_watch(descriptor, directory, Self.events)
            guard number >= 0 else { return nil }
            filters.update(filter, forKey: number) { _ in }
            return number
        }
    }

    /// Stops watching a folder for a filter; nil for a deallocated filter.
    func end(_ number: CInt, for filter: NameFilter?) {
        guard let descriptor else { return }
        changing.release { _ in
            let others = filters.entries(forKey: number).filter { $0.object !== filter }
            if others.isEmpty { _ = inotify_rm_watch(descriptor, number) }
            return others
        }
    }

    /// Delivers pending events to their filters. Returns false if there are too many to wait for; filters may
    /// then be out of date.
    func takeEvents() -> Bool {
        guard let descriptor else { return false }
        var notified: [NameFilter] = []
        let isUpToDate = reading.withLock { _ in
            withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
                for _ in 0..<Self.mostReads {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    guard count > 0 else { return true }
                    deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &notified)
                }
                return false
            }
        }
        withExtendedLifetime(notified) {}
        return isUpToDate
    }

    private func deliver(_ events: UnsafeRawBufferPointer, _ notified: inout [NameFilter]) {
        InotifyInstance.forEach(in: events) { event, name in
            let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
            let concerned = isOverflow ? filters.objects : filters.entries(forKey: event.wd).map(\.object)
            notified += concerned
            for filter in concerned {
                if event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
                    filter.insert(Checksum.of(name))
                } else if isOverflow {
                    filter.clear()
                } else if event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0 {
                    filter.clear(ifWatching: event.wd)
                }
            }
        }
    }
}
