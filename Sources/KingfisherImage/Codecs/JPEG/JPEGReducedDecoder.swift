import CKernels

/// Decodes baseline JPEG files at an eighth, a quarter or half of their size (decision 059).
///
/// At an eighth the pixels are libjpeg-turbo's. At a quarter and half, a block is drawn from its lowest 2 x 2
/// or 4 x 4 frequencies, which is closer to the full image than libjpeg's averages.
///
/// Files that are not supported or not certainly valid are refused. libjpeg decodes them, so errors are
/// always libjpeg's.
struct JPEGReducedDecoder {
    /// Files with fewer bytes from the scan to the end are left to libjpeg: building the tables takes 0.1 ms.
    static let minimumScanBytes = 1 << 16
    /// Bytes of a scan that are decoded at a time. More do not stay in the processor's cache, and of fewer,
    /// too large a part is spent on the search for the first blocks.
    static let sectionBytes = 120_000
    /// The most that tables, a section and a row of blocks usually take.
    static let workingBytes = 1 << 20
    /// Intervals between restarts in a section at most.
    private static let maximumRestarts = 1 << 14

    /// One stream or `KF_JPEG_STREAMS`; the pixels are the same.
    var streams = Int(KF_JPEG_STREAMS)
    var sectionBytes = Self.sectionBytes

    private let scan: JPEGBaselineScan
    private let eighths: Int
    private let columns: Int
    private let rows: Int

    init?(
        _ reader: ByteReader, frame: JPEGFrameHeader, scale: JPEGScale,
        minimumScanBytes: Int = Self.minimumScanBytes
    ) {
        // libjpeg has a limit of 65,500.
        guard scale.eighths < 8, max(frame.size.width, frame.size.height) <= 65_500,
            let scan = JPEGBaselineScan(reader, frame: frame), scan.data.count >= minimumScanBytes
        else { return nil }
        self.scan = scan
        eighths = scale.eighths
        let horizontal = scan.components.map(\.horizontal).max() ?? 1
        let vertical = scan.components.map(\.vertical).max() ?? 1
        columns = (frame.size.width + 8 * horizontal - 1) / (8 * horizontal)
        rows = (frame.size.height + 8 * vertical - 1) / (8 * vertical)
        // Luminance with half the resolution of chroma would lose detail.
        guard eighths == 1 || scan.components[0].horizontal == horizontal,
            eighths == 1 || scan.components[0].vertical == vertical,
            // Half of a smooth image takes libjpeg no longer.
            eighths < 4 || scan.data.count >= blocks * 3 / 2
        else { return nil }
    }

    private var blocks: Int {
        columns * rows * scan.components.reduce(0) { $0 + $1.horizontal * $1.vertical }
    }

    /// Decodes to rows of grey or RGBA; false if libjpeg must decode the file.
    func decode(to image: kf_jpeg_reduced) -> Bool {
        guard let codes = PooledMemory<kf_jpeg_codes>(scan.components.count),
            let factors = PooledMemory<UInt16>(64 * scan.components.count),
            let components = components(codes, factors),
            let source = scan.data.bytes.bindMemory(to: UInt8.self).baseAddress
        else { return false }
        return components.withUnsafeBufferPointer { components in
            guard let start = components.baseAddress else { return false }
            let scan = kf_jpeg_scan(
                components: start, count: Int32(components.count), columns: UInt32(columns),
                rows: UInt32(rows), restart_interval: UInt32(scan.restartInterval), source: source,
                source_count: scan.data.count)
            return withExtendedLifetime((codes, factors)) { decode(scan, to: image) }
        }
    }

    /// The components with their tables; nil if a table is not valid.
    private func components(
        _ codes: PooledMemory<kf_jpeg_codes>, _ factors: PooledMemory<UInt16>
    ) -> [kf_jpeg_component]? {
        var result: [kf_jpeg_component] = []
        for (index, component) in scan.components.enumerated() {
            let quantization = factors.start + 64 * index
            guard let own = scan.quantization[component.quantization] else { return nil }
            quantization.update(from: own, count: 64)
            let equal = scan.components[..<index].firstIndex {
                ($0.dc, $0.ac) == (component.dc, component.ac)
            }
            let table = codes.start + (equal ?? index)
            guard equal != nil || makeCodes(table, component) else { return nil }
            result.append(
                kf_jpeg_component(
                    horizontal: Int32(component.horizontal), vertical: Int32(component.vertical),
                    codes: table, quantization: quantization))
        }
        return result
    }

    private func makeCodes(
        _ codes: UnsafeMutablePointer<kf_jpeg_codes>, _ component: JPEGBaselineScan.Component
    ) -> Bool {
        guard let dc = scan.dcTables[component.dc]?.definition,
            let ac = scan.acTables[component.ac]?.definition
        else { return false }
        return kf_jpeg_make_codes(codes, dc, ac)
    }

    private func decode(_ scan: kf_jpeg_scan, to image: kf_jpeg_reduced) -> Bool {
        withUnsafePointer(to: scan) { scan in
            guard let section = Section(self),
                let row = PooledMemory<UInt8>(kf_jpeg_row_size(scan, Int32(eighths)))
            else { return false }
            var reader = kf_jpeg_start_reading(scan)
            var painter = kf_jpeg_painter()
            return withExtendedLifetime((section, row)) {
                while reader.blocks > 0 {
                    guard kf_jpeg_read_section(scan, Int32(streams), &reader, section.start),
                        kf_jpeg_draw_section(
                            KernelLevel.current.native, scan, section.start, Int32(eighths), &painter,
                            row.start, image)
                    else { return false }
                }
                return true
            }
        }
    }

    /// A section and the memory of its parts.
    private struct Section {
        private let section: PooledMemory<kf_jpeg_section>
        private let parts: [AnyObject]
        var start: UnsafeMutablePointer<kf_jpeg_section> { section.start }

        init?(_ decoder: JPEGReducedDecoder) {
            let scan = decoder.scan, hasRestarts = scan.restartInterval > 0
            let capacity = max(min(decoder.sectionBytes, scan.data.count), Int(KF_JPEG_MINIMUM_SECTION))
            // A block has at least two bits.
            let room = min(decoder.blocks, capacity * 4)
            let streams = (0..<Int(KF_JPEG_STREAMS)).compactMap {
                // A stream that is not used needs no memory.
                PooledMemory<kf_jpeg_block>($0 < decoder.streams ? room + Int(KF_JPEG_SLACK) : 1)
            }
            let restarts = hasRestarts ? min(decoder.blocks, JPEGReducedDecoder.maximumRestarts) : 0
            guard streams.count == KF_JPEG_STREAMS, let section = PooledMemory<kf_jpeg_section>(1),
                let data = PooledMemory<UInt8>(capacity + Int(KF_JPEG_PADDING)),
                let joined = PooledMemory<kf_jpeg_block>(hasRestarts ? room : 1),
                let starts = PooledMemory<UInt32>(restarts + 2)
            else { return nil }
            section.start.pointee.data = data.start
            section.start.pointee.capacity = capacity
            section.start.pointee.streams = (
                streams[0].start, streams[1].start, streams[2].start, streams[3].start
            )
            section.start.pointee.room = room
            section.start.pointee.joined = joined.start
            section.start.pointee.starts = starts.start
            section.start.pointee.maximum_restarts = restarts
            self.section = section
            parts = streams + [data, joined, starts]
        }
    }
}

extension JPEGBaselineScan.HuffmanTable {
    fileprivate var definition: kf_jpeg_definition? {
        bytes.bindMemory(to: UInt8.self).baseAddress.map { kf_jpeg_definition(counts: $0, values: $0 + 16) }
    }
}

/// Uninitialized memory of `PixelMemory`, which keeps its pages for the next image: page faults cost a tenth
/// of the decoding. Each allocation alone must be within the limit of an image.
private final class PooledMemory<Element: BitwiseCopyable> {
    let start: UnsafeMutablePointer<Element>
    private let byteCount: Int

    init?(_ count: Int) {
        byteCount = max(count, 1) * MemoryLayout<Element>.stride
        guard byteCount <= ImageLimits.maximumFrameBytes, let memory = PixelMemory.take(byteCount) else {
            return nil
        }
        start = memory.bindMemory(to: Element.self, capacity: max(count, 1))
    }

    deinit { PixelMemory.giveBack(UnsafeMutableRawPointer(start), count: byteCount) }
}
