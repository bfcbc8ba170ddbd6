import CKernels

/// Draws the MCUs of a part by the index of its scan. Not for concurrent use.
final class JPEGPartReader {
    /// Rows of MCUs that are read at a time: as many as there are streams.
    private static let rowsAtATime = Int(KF_JPEG_STREAMS)
    /// The bytes of a block at most: a DC coefficient of 27 bits and 63 AC coefficients of 31.
    private static let maximumBlockBytes = 248

    private let eighths: Int32
    private let spans: [kf_jpeg_span]
    private let row: PooledMemory<UInt8>
    private let memory: [AnyObject]
    private var scan: kf_jpeg_scan
    /// The scan as if it had only the part.
    private var drawn: kf_jpeg_scan
    private var section: kf_jpeg_section
    private var scratch: kf_jpeg_scratch

    /// Nil without memory. Tables, index and the bytes of the file must outlive the reader.
    init?(
        _ part: JPEGPart, _ decoder: JPEGBaselineDecoder, _ tables: JPEGKernelTables, _ index: JPEGIndex
    ) {
        guard let scan = decoder.kernelScan(tables) else { return nil }
        self.scan = scan
        eighths = Int32(decoder.eighths)
        spans = part.rows.map { index.span(part.columns, row: $0, width: decoder.columns) }
        let blocks = decoder.blocks / (decoder.columns * decoder.rows)
        let mcus = spans.map { Int($0.count) }.max() ?? 0
        // Bytes between markers that are not data are not copied.
        let bytes = spans.map { min($0.sourceBytes, Int($0.count) * blocks * Self.maximumBlockBytes) + 8 }
        let (longest, restarts) = (bytes.max() ?? 0, scan.restart_interval > 0 ? mcus + 1 : 0)
        let capacity = longest * Self.rowsAtATime
        let ranges = Self.rowsAtATime * (restarts + 1)
        let streams = (0..<Int(KF_JPEG_STREAMS)).compactMap { _ in
            PooledMemory<kf_jpeg_block>(longest * 4 + Int(KF_JPEG_SLACK))
        }
        var drawn = scan
        (drawn.columns, drawn.rows) = (UInt32(part.columns.count), UInt32(part.rows.count))
        guard capacity <= 1 << 28, streams.count == KF_JPEG_STREAMS,
            let data = PooledMemory<UInt8>(capacity + Int(KF_JPEG_PADDING)),
            let room = PooledMemory<kf_jpeg_block>(Self.rowsAtATime * mcus * blocks),
            let starts = PooledMemory<UInt32>(restarts + 2), let range = PooledMemory<kf_jpeg_range>(ranges),
            let row = PooledMemory<UInt8>(kf_jpeg_row_size(&drawn, eighths))
        else { return nil }
        (self.row, self.drawn) = (row, drawn)
        memory = streams + [data, room, starts, range]
        section = kf_jpeg_section(
            data: data.start, capacity: capacity, blocks: room.start, room: Self.rowsAtATime * mcus * blocks,
            length: 0, count: 0, consumed: 0)
        scratch = kf_jpeg_scratch(
            streams: (streams[0].start, streams[1].start, streams[2].start, streams[3].start),
            room: longest * 4, starts: starts.start, maximum_restarts: restarts, ranges: range.start,
            range_room: ranges)
    }

    /// False if the file does not have valid data.
    func draw(to image: kf_jpeg_output) -> Bool {
        var painter = kf_jpeg_painter()
        let level = KernelLevel.current.native
        for first in stride(from: 0, to: spans.count, by: Self.rowsAtATime) {
            let count = min(Self.rowsAtATime, spans.count - first)
            let isRead = spans.withUnsafeBufferPointer { spans in
                spans.baseAddress.map { kf_jpeg_read_spans(&scan, $0 + first, count, &scratch, &section) }
            }
            guard isRead == true else { return false }
            painter.block = 0
            for _ in 0..<count {
                guard kf_jpeg_draw_row(level, &drawn, &section, eighths, &painter, row.start, image) else {
                    return false
                }
            }
        }
        return true
    }
}
