import CKernels
import Dispatch
import Glibc
import Synchronization

/// Reads the sections of a scan, one after the other, in the caller's thread or ahead of it in another.
final class JPEGSections: @unchecked Sendable {
    struct Next {
        let section: UnsafePointer<kf_jpeg_section>
        /// Whether the section is certainly valid, and whether it ends the scan.
        let isValid: Bool
        let isLast: Bool
    }

    /// Sections that a thread may read before they are used. With three, neither thread waits for the other's
    /// single slow section.
    private static let ahead = 3

    private let scan: UnsafePointer<kf_jpeg_scan>
    private let streams: Int32
    private let slots: [Section]
    /// Used by the thread that reads.
    private var reader: kf_jpeg_reader
    private var used = 0
    private var thread: pthread_t?
    private let filled = DispatchSemaphore(value: 0)
    private let emptied: DispatchSemaphore
    private let isClosed = Atomic(false)

    /// `scan` must outlive the sections, which must be closed. Nil without memory.
    init?(_ decoder: JPEGReducedDecoder, of scan: UnsafePointer<kf_jpeg_scan>, hasThread: Bool) {
        let slots = (0..<(hasThread ? Self.ahead : 1)).compactMap { _ in Section(decoder) }
        guard !slots.isEmpty else { return nil }
        self.scan = scan
        self.slots = slots
        streams = Int32(decoder.streams)
        reader = kf_jpeg_start_reading(scan)
        emptied = DispatchSemaphore(value: slots.count)
        if slots.count > 1 { startThread() }
    }

    /// Reads ahead. Without a thread, which the system may refuse, `next` reads.
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
        for index in 0... {
            let slot = slots[index % slots.count]
            emptied.wait()
            if isClosed.load(ordering: .acquiring) { return }
            read(to: slot)
            filled.signal()
            if !slot.isValid || slot.isLast { return }
        }
    }

    private func read(to slot: Section) {
        slot.isValid = kf_jpeg_read_section(scan, streams, &reader, slot.start)
        slot.isLast = reader.blocks == 0
    }

    /// The next section, until the following call. Must not be called after a section that is the last one or
    /// not valid.
    func next() -> Next {
        let slot = slots[used % slots.count]
        if thread == nil {
            read(to: slot)
        } else {
            if used > 0 { emptied.signal() }
            filled.wait()
        }
        used += 1
        return Next(section: slot.start, isValid: slot.isValid, isLast: slot.isLast)
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
