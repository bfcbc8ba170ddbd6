import CKernels
import Dispatch
import Glibc
import Synchronization

/// Reads the sections of a scan, one after the other: in the caller's thread, or most of them in another one.
///
/// If the caller's thread needs a section that the other thread is not reading, it reads the section itself.
/// So it loses nothing while the other one starts, which may take a millisecond.
final class JPEGSections: @unchecked Sendable {
    struct Next {
        let section: UnsafePointer<kf_jpeg_section>
        /// Whether the section is certainly valid, and whether it ends the scan.
        let isValid: Bool
        let isLast: Bool
    }

    /// Sections that a thread may read ahead. It is mostly faster than the caller's, so that with fewer it
    /// would have to wait, and waking it takes long.
    private static let ahead = 8

    private let scan: UnsafePointer<kf_jpeg_scan>
    private let streams: Int32
    private let slots: [Section]
    /// Held while a section is read, which changes `reader`.
    private let reading = Mutex(())
    private var reader: kf_jpeg_reader
    /// Sections that have been read, and those that the caller has requested.
    private let readCount = Atomic(0)
    private var usedCount = 0
    /// Counts the slots that may be read to. Starts at 0, because a semaphore must not end below its start.
    private let emptied = DispatchSemaphore(value: 0)
    private let isClosed = Atomic(false)
    private var thread: pthread_t?

    /// `scan` must outlive the sections, which must be closed. Nil without memory.
    init?(_ decoder: JPEGReducedDecoder, of scan: UnsafePointer<kf_jpeg_scan>, hasThread: Bool) {
        let slots = (0..<(hasThread ? Self.ahead : 1)).compactMap { _ in Section(decoder) }
        guard !slots.isEmpty else { return nil }
        self.scan = scan
        self.slots = slots
        streams = Int32(decoder.streams)
        reader = kf_jpeg_start_reading(scan)
        for _ in slots { emptied.signal() }
        if slots.count > 1 { startThread() }
    }

    /// Without a thread, which the system may refuse, `next` reads all sections.
    private func startThread() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = pthread_create(
            &thread, nil,
            { context in
                context.map { Unmanaged<JPEGSections>.fromOpaque($0).takeRetainedValue().readAll() }
                return nil
            }, context.toOpaque())
        if status == 0 { self.thread = thread } else { context.release() }
    }

    private func readAll() {
        var isOver = false
        while !isOver {
            emptied.wait()
            isOver = isClosed.load(ordering: .acquiring) || reading.withLock { _ in read() }
        }
    }

    /// Reads a section. Returns whether there are no more.
    private func read() -> Bool {
        let count = readCount.load(ordering: .acquiring)
        if count > 0, slots[(count - 1) % slots.count].isOver { return true }
        let slot = slots[count % slots.count]
        slot.isValid = kf_jpeg_read_section(scan, streams, &reader, slot.start)
        slot.isLast = reader.blocks == 0
        readCount.store(count + 1, ordering: .releasing)
        return slot.isOver
    }

    /// The next section, until the following call. Must not be called after a section that is the last one or
    /// not valid.
    func next() -> Next {
        if usedCount > 0 { emptied.signal() }
        while readCount.load(ordering: .acquiring) == usedCount { readOrYield() }
        let slot = slots[usedCount % slots.count]
        usedCount += 1
        return Next(section: slot.start, isValid: slot.isValid, isLast: slot.isLast)
    }

    /// Reads a section, unless the other thread does or is about to.
    private func readOrYield() {
        if emptied.wait(timeout: .now()) == .success {
            if reading.withLockIfAvailable({ _ in _ = read() }) != nil { return }
            emptied.signal()
        }
        sched_yield()
    }

    /// Ends the thread.
    func close() {
        guard let thread else { return }
        isClosed.store(true, ordering: .releasing)
        emptied.signal()
        pthread_join(thread, nil)
    }
}

/// A section, the memory of its parts, and how reading it has ended.
private final class Section {
    let start: UnsafeMutablePointer<kf_jpeg_section>
    var isValid = false
    var isLast = false
    var isOver: Bool { !isValid || isLast }
    private let memory: [AnyObject]

    /// Intervals between restarts in a section at most.
    private static let maximumRestarts = 1 << 14

    init?(_ decoder: JPEGReducedDecoder) {
        let scan = decoder.scan, hasRestarts = scan.restartInterval > 0
        let capacity = max(min(decoder.sectionBytes, scan.data.count), Int(KF_JPEG_MINIMUM_SECTION))
        // A block has at least two bits.
        let room = min(decoder.blocks, capacity * 4)
        let restarts = hasRestarts ? min(decoder.blocks, Self.maximumRestarts) : 0
        let streams = (0..<Int(KF_JPEG_STREAMS)).compactMap {
            // A stream that is not used needs no memory.
            PooledMemory<kf_jpeg_block>($0 < decoder.streams ? room + Int(KF_JPEG_SLACK) : 1)
        }
        guard streams.count == KF_JPEG_STREAMS, let section = PooledMemory<kf_jpeg_section>(1),
            let data = PooledMemory<UInt8>(capacity + Int(KF_JPEG_PADDING)),
            let joined = PooledMemory<kf_jpeg_block>(hasRestarts ? room : 1),
            let starts = PooledMemory<UInt32>(restarts + 2)
        else { return nil }
        start = section.start
        memory = streams + [section, data, joined, starts]
        start.pointee.data = data.start
        start.pointee.capacity = capacity
        start.pointee.streams = (streams[0].start, streams[1].start, streams[2].start, streams[3].start)
        start.pointee.room = room
        start.pointee.joined = joined.start
        start.pointee.starts = starts.start
        start.pointee.maximum_restarts = restarts
    }
}
