import CKernels

/// Decodes baseline JPEG files at full size, or at an eighth, a quarter or half of it (decision 059).
///
/// At full size and an eighth the pixels are libjpeg-turbo's. At a quarter and half, a block is drawn from
/// its lowest 2 x 2 or 4 x 4 frequencies, which is closer to the full image than libjpeg's averages.
///
/// Files that are not supported or not certainly valid are refused. libjpeg decodes them, so errors are
/// always libjpeg's.
struct JPEGBaselineDecoder {
    /// Files with fewer bytes from the scan to the end are left to libjpeg: making the tables takes 0.1 ms.
    static let minimumScanBytes = 1 << 16
    /// Bytes of a scan that are decoded at a time. More do not stay in the processor's cache, and of fewer,
    /// too large a part is spent on the search for the first blocks.
    static let sectionBytes = 120_000
    /// The memory that a decoder takes besides the image, in bytes: tables, bytes of sections, a row of MCUs,
    /// and blocks in up to four sections and in streams. Streams in hostile files may take some megabytes
    /// more, for blocks that are wrong.
    static func workingBytes(width: Int, blocks: Int) -> Int {
        let inSection = 4 * sectionBytes
        return (1 << 20) + 48 * width + 8 * min(blocks, 4 * inSection) + 16 * min(blocks, inSection)
    }

    /// Scans of this many bytes take some milliseconds, so that starting a thread pays.
    static let minimumParallelBytes = 1 << 19

    /// One stream or `KF_JPEG_STREAMS`; the pixels are the same.
    var streams = Int(KF_JPEG_STREAMS)
    var sectionBytes = Self.sectionBytes
    /// Whether a second thread reads sections while the caller's draws them; nil if it shall for a large scan
    /// while a core is idle.
    var hasThread: Bool?

    let scan: JPEGBaselineScan
    private let eighths: Int
    private let columns: Int
    private let rows: Int

    init?(_ reader: ByteReader, frame: JPEGFrameHeader, scale: JPEGScale) {
        // libjpeg has a limit of 65,500.
        guard max(frame.size.width, frame.size.height) <= 65_500,
            let scan = JPEGBaselineScan(reader, frame: frame)
        else { return nil }
        self.scan = scan
        eighths = scale.eighths
        let tables = scan.tables
        columns = tables.columns(of: frame.size)
        rows = tables.rows(of: frame.size)
        // Luminance with half the resolution of chroma would lose detail.
        guard eighths == 1 || tables.components[0].horizontal == tables.horizontal,
            eighths == 1 || tables.components[0].vertical == tables.vertical,
            // libjpeg does not interpolate the chroma of narrower images.
            eighths < 8 || frame.size.width >= 8
        else { return nil }
    }

    /// Whether libjpeg would take longer. It does not for small files, for smooth ones at half or full size,
    /// and for noise at full size.
    var isFaster: Bool {
        let bytes = scan.data.count
        return bytes >= Self.minimumScanBytes && (eighths < 4 || bytes >= blocks * 3 / 2)
            && (eighths < 8 || bytes <= blocks * 48)
    }

    var blocks: Int {
        columns * rows * scan.tables.components.reduce(0) { $0 + $1.horizontal * $1.vertical }
    }

    /// The bytes of a section at most.
    var sectionCapacity: Int { max(min(sectionBytes, scan.data.count), Int(KF_JPEG_MINIMUM_SECTION)) }

    /// The blocks that a stream may find in a section, right or wrong: each has at least two bits.
    var streamBlocks: Int { sectionCapacity * 4 }

    /// The blocks of a section at most.
    var sectionBlocks: Int { min(blocks, streamBlocks) }

    /// Decodes to rows of grey or RGBA; false if libjpeg must decode the file.
    func decode(to image: kf_jpeg_output) -> Bool {
        guard let codes = PooledMemory<kf_jpeg_codes>(scan.tables.components.count),
            let factors = PooledMemory<UInt16>(64 * scan.tables.components.count),
            let components = components(codes, factors),
            let source = scan.data.bytes.bindMemory(to: UInt8.self).baseAddress
        else { return false }
        return components.withUnsafeBufferPointer { components in
            guard let start = components.baseAddress else { return false }
            let scan = kf_jpeg_scan(
                components: start, count: Int32(components.count), columns: UInt32(columns),
                rows: UInt32(rows), restart_interval: UInt32(scan.tables.restartInterval), source: source,
                source_count: scan.data.count)
            return withExtendedLifetime((codes, factors)) { decode(scan, to: image) }
        }
    }

    /// The components with their tables; nil if a table is not valid.
    private func components(
        _ codes: PooledMemory<kf_jpeg_codes>, _ factors: PooledMemory<UInt16>
    ) -> [kf_jpeg_component]? {
        guard var result = scan.tables.kernelComponents(factors) else { return nil }
        for (index, component) in scan.tables.components.enumerated() {
            let equal = scan.tables.components[..<index].firstIndex {
                ($0.dc, $0.ac) == (component.dc, component.ac)
            }
            let table = codes.start + (equal ?? index)
            guard equal != nil || makeCodes(table, component) else { return nil }
            result[index].codes = UnsafePointer(table)
        }
        return result
    }

    private func makeCodes(
        _ codes: UnsafeMutablePointer<kf_jpeg_codes>, _ component: JPEGTables.Component
    ) -> Bool {
        guard let dc = scan.tables.dcTables[component.dc]?.definition,
            let ac = scan.tables.acTables[component.ac]?.definition
        else { return false }
        return kf_jpeg_make_codes(codes, dc, ac)
    }

    private func decode(_ scan: kf_jpeg_scan, to image: kf_jpeg_output) -> Bool {
        withUnsafePointer(to: scan) { scan in
            guard let row = PooledMemory<UInt8>(kf_jpeg_row_size(scan, Int32(eighths))) else { return false }
            let isLarge = self.scan.data.count >= Self.minimumParallelBytes
            let wantsThread = hasThread ?? (isLarge && DecodingContext.current?.usesIdleCores ?? true)
            return IdleCores.withHelper(if: wantsThread) { isIdle in
                let hasThread = hasThread ?? isIdle
                guard let sections = JPEGSections(self, of: scan, hasThread: hasThread) else { return false }
                return draw(sections, of: scan, to: image, row: row)
            }
        }
    }

    private func draw(
        _ sections: JPEGSections, of scan: UnsafePointer<kf_jpeg_scan>, to image: kf_jpeg_output,
        row: PooledMemory<UInt8>
    ) -> Bool {
        var painter = kf_jpeg_painter()
        let level = KernelLevel.current.native
        defer { sections.close() }
        while true {
            let next = sections.next()
            guard next.isValid else { return false }
            kf_jpeg_draw_section(
                level, scan, next.section, Int32(eighths), &painter, row.start, image)
            if next.isLast { return true }
        }
    }
}
