import Glibc
import KingfisherConcurrency
import Synchronization

/// Tells filters which names have come into their folders, from this process and others, by inotify(7). Safe
/// from any thread.
///
/// One instance of the kernel's for all folders, because a user has few of them. Events wait in the kernel
/// until they are asked for; there is no thread.
final class FolderWatch: Sendable {
    static let shared = FolderWatch()

    private static let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

    /// Buffers that are read for a caller that waits: about two thousand events.
    private static let mostReads = 4

    /// Nil where the kernel has no instance to give.
    private let descriptor: CInt?
    /// The filters of each folder, by the kernel's number.
    private let filters = WeakTable<CInt, NameFilter, Void>()
    /// Held while events are read and handed out, in their order.
    private let reading = Mutex(())
    /// Held while watches begin and end, which may wait for a file system.
    private let changing = Mutex(())

    init() {
        let descriptor = inotify_init1(CInt(O_NONBLOCK) | CInt(O_CLOEXEC))
        self.descriptor = descriptor < 0 ? nil : descriptor
    }

    deinit { if let descriptor { _ = close(descriptor) } }

    /// Whether folders can be watched at all.
    var isAvailable: Bool { descriptor != nil }

    /// Bytes of the events that have not been read.
    var waitingBytes: Int {
        var count: CInt = 0
        guard let descriptor, ioctl(descriptor, UInt(FIONREAD), &count) == 0 else { return 0 }
        return Int(count)
    }

    /// Has a filter told of the names that come into a folder; returns the folder's number, or nil where it
    /// cannot be watched.
    func begin(_ directory: String, for filter: NameFilter) -> CInt? {
        guard let descriptor else { return nil }
        return changing.withLock { _ in
            let number = inotify_add_watch(descriptor, directory, Self.events)
            guard number >= 0 else { return nil }
            filters.update(filter, forKey: number) { _ in }
            return number
        }
    }

    /// Stops watching a folder for a filter; nil for one that is gone.
    func end(_ number: CInt, for filter: NameFilter?) {
        guard let descriptor else { return }
        let others = changing.withLock { _ in
            let others = filters.entries(forKey: number).filter { $0.object !== filter }
            if others.isEmpty { _ = inotify_rm_watch(descriptor, number) }
            return others
        }
        withExtendedLifetime(others) {}
    }

    /// Hands the events that have come to their filters. False where there are more than a caller should wait
    /// for: filters may be behind then.
    func takeEvents() -> Bool {
        guard let descriptor else { return false }
        var told: [NameFilter] = []
        let isUpToDate = reading.withLock { _ in
            withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
                for _ in 0..<Self.mostReads {
                    let count = read(descriptor, buffer.baseAddress, buffer.count)
                    guard count > 0 else { return true }
                    deliver(UnsafeRawBufferPointer(rebasing: buffer[..<count]), &told)
                }
                return false
            }
        }
        withExtendedLifetime(told) {}
        return isUpToDate
    }

    private func deliver(_ events: UnsafeRawBufferPointer, _ told: inout [NameFilter]) {
        let headLength = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headLength <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let name = UnsafeRawBufferPointer(
                rebasing: events[offset + headLength..<offset + headLength + Int(event.len)])
            offset += headLength + Int(event.len)
            let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
            let concerned = isOverflow ? filters.objects : filters.entries(forKey: event.wd).map(\.object)
            told += concerned
            for filter in concerned {
                if event.mask & UInt32(IN_CREATE | IN_MOVED_TO) != 0 {
                    // Padded with zeros.
                    let length = name.firstIndex(of: 0) ?? name.count
                    filter.insert(Checksum.of(UnsafeRawBufferPointer(rebasing: name[..<length])))
                } else if isOverflow {
                    filter.clear()
                } else if event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF) != 0 {
                    filter.clear(ifWatching: event.wd)
                }
            }
        }
    }
}
