import CKernels
import CLinux
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

    /// Sections with a thread, one of which the caller draws. With fewer, the thread would have to wait for
    /// the caller more often, and waking it takes long.
    private static let countWithThread = 4

    /// How often the caller checks whether the other thread has read a section before it blocks.
    private static let attemptsBeforeBlocking = 100

    private let scan: UnsafePointer<kf_jpeg_scan>
    private let streams: Int32
    private let slots: [Section]
    private let scratch: ReadingMemory
    /// Held while a section is read, which changes `reader` and `scratch`.
    private let reading = Mutex(())
    private var reader: kf_jpeg_reader
    /// Sections that have been read, that the caller has requested, and that it no longer needs.
    private let readCount = Atomic(0)
    private var takenCount = 0
    private let releasedCount = Atomic(0)

    private var thread: pthread_t?
    private let isWaiting = Atomic(false)
    private let isClosed = Atomic(false)
    /// Blocks only the second thread, which no task runs on, while all sections wait to be drawn.
    private let wakeUp = DispatchSemaphore(value: 0)

    /// `scan` must outlive the sections, which must be closed. Nil without memory.
    init?(_ decoder: JPEGBaselineDecoder, of scan: UnsafePointer<kf_jpeg_scan>, hasThread: Bool) {
        let slots = (0..<(hasThread ? Self.countWithThread : 1)).compactMap { _ in Section(decoder) }
        guard !slots.isEmpty, let scratch = ReadingMemory(decoder) else { return nil }
        self.scan = scan
        self.scratch = scratch
        self.slots = slots
        streams = Int32(decoder.streams)
        reader = kf_jpeg_start_reading(scan)
        if slots.count > 1 { startThread() }
    }

    /// Without a thread, which the system may refuse, `next` reads all sections.
    private func startThread() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self)
        let status = kf_linux_start_elsewhere(
            &thread,
            { context in
                context.map { Unmanaged<JPEGSections>.fromOpaque($0).takeRetainedValue().readAll() }
                return nil
            }, context.toOpaque())
        if status == 0 { self.thread = thread } else { context.release() }
    }

    private func readAll() {
        while !isClosed.load(ordering: .acquiring) {
            if unreleasedCount == slots.count {
                waitForRoom()
            } else if reading.withLock({ _ in read() }) {
                return
            }
        }
    }

    private var unreleasedCount: Int {
        readCount.load(ordering: .sequentiallyConsistent)
            - releasedCount.load(ordering: .sequentiallyConsistent)
    }

    private func waitForRoom() {
        isWaiting.store(true, ordering: .sequentiallyConsistent)
        while unreleasedCount == slots.count, !isClosed.load(ordering: .sequentiallyConsistent) {
            wakeUp.wait()
        }
        isWaiting.store(false, ordering: .sequentiallyConsistent)
    }

    /// Reads a section if there is room. Returns whether there are no more.
    private func read() -> Bool {
        let count = readCount.load(ordering: .acquiring)
        if count > 0, slots[(count - 1) % slots.count].isOver { return true }
        if unreleasedCount == slots.count { return false }
        let slot = slots[count % slots.count]
        slot.isValid = kf_jpeg_read_section(scan, streams, &reader, &scratch.value, slot.start)
        slot.isLast = reader.blocks == 0
        readCount.store(count + 1, ordering: .sequentiallyConsistent)
        return slot.isOver
    }

    /// The next section, until the following call. Must not be called after a section that is the last one or
    /// not valid.
    func next() -> Next {
        if takenCount > 0 { release() }
        var attempts = 0
        while readCount.load(ordering: .acquiring) == takenCount {
            guard reading.withLockIfAvailable({ _ in _ = read() }) == nil else { continue }
            attempts += 1
            // Blocking and waking take longer than most waits, unless the other thread has no core.
            if attempts < Self.attemptsBeforeBlocking { sched_yield() } else { reading.withLock { _ in } }
        }
        let slot = slots[takenCount % slots.count]
        takenCount += 1
        return Next(section: slot.start, isValid: slot.isValid, isLast: slot.isLast)
    }

    /// Waking the thread takes some time, so it is woken while half of the sections are left to draw.
    private func release() {
        releasedCount.store(takenCount, ordering: .sequentiallyConsistent)
        if isWaiting.load(ordering: .sequentiallyConsistent), unreleasedCount <= slots.count / 2 {
            wakeUp.signal()
        }
    }

    /// Ends the thread.
    func close() {
        guard let thread else { return }
        isClosed.store(true, ordering: .sequentiallyConsistent)
        wakeUp.signal()
        pthread_join(thread, nil)
    }
}

/// A section, its memory, and how reading it has ended.
private final class Section {
    let start: UnsafeMutablePointer<kf_jpeg_section>
    var isValid = false
    var isLast = false
    var isOver: Bool { !isValid || isLast }
    private let memory: [AnyObject]

    init?(_ decoder: JPEGBaselineDecoder) {
        guard let section = PooledMemory<kf_jpeg_section>(1),
            let data = PooledMemory<UInt8>(decoder.sectionCapacity + Int(KF_JPEG_PADDING)),
            let blocks = PooledMemory<kf_jpeg_block>(decoder.sectionBlocks)
        else { return nil }
        start = section.start
        memory = [section, data, blocks]
        start.initialize(
            to: kf_jpeg_section(
                data: data.start, capacity: decoder.sectionCapacity, blocks: blocks.start,
                room: decoder.sectionBlocks, length: 0, count: 0, consumed: 0))
    }
}

/// The memory for reading sections, one at a time.
private final class ReadingMemory {
    var value: kf_jpeg_scratch
    private let memory: [AnyObject]

    /// Intervals between restarts in a section at most.
    private static let maximumRestarts = 1 << 14

    init?(_ decoder: JPEGBaselineDecoder) {
        let restarts = decoder.scan.tables.restartInterval > 0 ? min(decoder.blocks, Self.maximumRestarts) : 0
        let streams = (0..<Int(KF_JPEG_STREAMS)).compactMap {
            // A stream that is not used needs no memory.
            PooledMemory<kf_jpeg_block>(
                $0 < decoder.streams ? decoder.streamBlocks + Int(KF_JPEG_SLACK) : 1)
        }
        guard streams.count == KF_JPEG_STREAMS, let starts = PooledMemory<UInt32>(restarts + 2) else {
            return nil
        }
        memory = streams + [starts]
        value = kf_jpeg_scratch(
            streams: (streams[0].start, streams[1].start, streams[2].start, streams[3].start),
            room: decoder.streamBlocks, starts: starts.start, maximum_restarts: restarts, ranges: nil,
            range_room: 0)
    }
}
