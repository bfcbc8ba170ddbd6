import CKernels

/// Draws the rows of a baseline JPEG file, from the first to the last, by `JPEGBaselineDecoder`: to an image,
/// or a few at a time to a separate buffer.
///
/// Rows are undefined after a section that is not certainly valid, which `draw` says. Use by one thread at a
/// time.
final class JPEGRows: RowSource {
    let size: PixelSize
    let extent: PixelExtent
    let format: PixelFormat

    private let eighths: Int32
    private let scan: PooledMemory<kf_jpeg_scan>
    private let row: PooledMemory<UInt8>
    private let sections: JPEGSections
    private let output: kf_jpeg_output
    private let memory: [AnyObject]
    private let cores: IdleCoreReservation
    private let index: JPEGIndex?
    private var section: JPEGSections.Next?
    private var painter = kf_jpeg_painter()
    private var isValid = true

    /// Draws to `image`, and fills an index meanwhile.
    convenience init?(_ decoder: JPEGBaselineDecoder, image: kf_jpeg_output, index: JPEGIndex? = nil) {
        self.init(decoder, window: 0, image: image, index: index)
    }

    /// Draws to memory for some rows, of which `rows` returns at most `window` at a time.
    convenience init?(_ decoder: JPEGBaselineDecoder, window: Int) {
        self.init(decoder, window: window, image: nil, index: nil)
    }

    /// Nil without memory, or if a table is not valid.
    private init?(
        _ decoder: JPEGBaselineDecoder, window: Int, image: kf_jpeg_output?, index: JPEGIndex?
    ) {
        guard let tables = JPEGKernelTables(decoder.scan.tables), let scan = PooledMemory<kf_jpeg_scan>(1),
            let own = decoder.kernelScan(tables)
        else { return nil }
        scan.start.initialize(to: own)
        self.index = index
        size = decoder.size
        extent = decoder.extent
        format = decoder.format
        eighths = Int32(decoder.eighths)
        guard let row = PooledMemory<UInt8>(kf_jpeg_row_size(scan.start, eighths)) else { return nil }
        let count = decoder.ringRows(window: window)
        let bytesPerRow = size.width * format.bytesPerPixel
        guard let ring = PooledMemory<UInt8>(image == nil ? bytesPerRow * count : 1) else { return nil }
        output =
            image
            ?? kf_jpeg_output(
                rows: ring.start, bytes_per_row: bytesPerRow, row_count: UInt32(count),
                width: UInt32(size.width), height: UInt32(size.height))
        cores = IdleCoreReservation(cores: decoder.allowedCores)
        let hasThread = decoder.hasThread ?? cores.hasHelper
        guard let sections = JPEGSections(decoder, of: scan.start, hasThread: hasThread) else { return nil }
        self.scan = scan
        self.row = row
        self.sections = sections
        memory = [tables, ring]
    }

    deinit { sections.close() }

    /// Draws the rows up to `end`. False if libjpeg must decode the file.
    func draw(upTo end: Int) -> Bool {
        let level = KernelLevel.current.native
        while isValid, painter.lines < end {
            if let section {
                let isComplete = kf_jpeg_draw_row(
                    level, scan.start, section.section, eighths, &painter, row.start, output)
                if isComplete { continue }
                isValid = !section.isLast
                if !isValid { break }
            }
            let next = sections.next()
            isValid = next.isValid
            if isValid { index?.add(next.section, of: scan.start) }
            section = next
        }
        return isValid
    }

    func rows(_ range: Range<Int>) -> [UnsafePointer<UInt8>] {
        _ = draw(upTo: range.upperBound)
        let base = UnsafePointer(output.rows)
        return range.map { base + $0 % Int(output.row_count) * output.bytes_per_row }
    }
}

extension JPEGBaselineDecoder {
    var format: PixelFormat { scan.tables.components.count == 1 ? .gray8 : .rgba8Opaque }

    /// The scan for `CKernels`, valid while the tables and the bytes of the file are.
    func kernelScan(_ tables: JPEGKernelTables) -> kf_jpeg_scan? {
        guard let source = scan.data.bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        return kf_jpeg_scan(
            components: UnsafePointer(tables.components.start), count: Int32(scan.tables.components.count),
            columns: UInt32(columns), rows: UInt32(rows),
            restart_interval: UInt32(scan.tables.restartInterval), source: source,
            source_count: scan.data.count)
    }
}

/// The tables of a scan for `CKernels`.
///
/// Unchecked: written in `init` only.
final class JPEGKernelTables: @unchecked Sendable {
    let components: PooledMemory<kf_jpeg_component>
    private let codes: PooledMemory<kf_jpeg_codes>
    private let factors: PooledMemory<UInt16>

    /// Nil if a table is not valid.
    init?(_ tables: JPEGTables) {
        let count = tables.components.count
        guard let codes = PooledMemory<kf_jpeg_codes>(count), let factors = PooledMemory<UInt16>(64 * count),
            let components = PooledMemory<kf_jpeg_component>(count),
            let own = tables.kernelComponents(factors)
        else { return nil }
        for (index, component) in tables.components.enumerated() {
            let equal = tables.components[..<index].firstIndex {
                ($0.dc, $0.ac) == (component.dc, component.ac)
            }
            let table = codes.start + (equal ?? index)
            guard equal != nil || Self.make(table, tables, component) else { return nil }
            (components.start + index).initialize(to: own[index])
            components.start[index].codes = UnsafePointer(table)
        }
        (self.codes, self.factors, self.components) = (codes, factors, components)
    }

    private static func make(
        _ codes: UnsafeMutablePointer<kf_jpeg_codes>, _ tables: JPEGTables, _ component: JPEGTables.Component
    ) -> Bool {
        guard let dc = tables.dcTables[component.dc]?.definition,
            let ac = tables.acTables[component.ac]?.definition
        else { return false }
        return kf_jpeg_make_codes(codes, dc, ac)
    }
}
