import CKernels

/// Decodes baseline JPEG files at an eighth of their size, with libjpeg-turbo's pixels. Photographs take a
/// third to a half of its time (decision 058).
///
/// Files that are not supported or not certainly valid are refused. libjpeg decodes them, so errors are
/// always libjpeg's.
struct JPEGEighth {
    /// Files with fewer bytes from the scan to the end are left to libjpeg: building the tables takes 0.1 ms.
    static let minimumScanBytes = 1 << 16
    /// The decoder's positions are 32-bit numbers of bits.
    private static let maximumScanBytes = 1 << 28

    /// One stream or `KF_JPEG_STREAMS`; the pixels are the same.
    var streams = Int(KF_JPEG_STREAMS)

    private let size: PixelSize
    private let scan: JPEGBaselineScan
    private let columns: Int
    private let rows: Int

    init?(
        _ reader: ByteReader, frame: JPEGFrameHeader, minimumScanBytes: Int = Self.minimumScanBytes
    ) {
        // libjpeg has a limit of 65,500.
        guard max(frame.size.width, frame.size.height) <= 65_500,
            let scan = JPEGBaselineScan(reader, frame: frame),
            (minimumScanBytes...Self.maximumScanBytes).contains(scan.data.count)
        else { return nil }
        self.scan = scan
        size = frame.size
        let horizontal = scan.components.map(\.horizontal).max() ?? 1
        let vertical = scan.components.map(\.vertical).max() ?? 1
        columns = (size.width + 8 * horizontal - 1) / (8 * horizontal)
        rows = (size.height + 8 * vertical - 1) / (8 * vertical)
    }

    private var intervals: Int {
        scan.restartInterval == 0 ? 1 : (columns * rows + scan.restartInterval - 1) / scan.restartInterval
    }

    private var blocksInMCU: Int { scan.components.reduce(0) { $0 + $1.horizontal * $1.vertical } }
    private var blocks: Int { columns * rows * blocksInMCU }

    /// Blocks that one stream decodes in a row, at most.
    private var blocksInInterval: Int {
        scan.restartInterval == 0 ? blocks : min(scan.restartInterval * blocksInMCU, blocks)
    }

    /// Decodes to rows of grey or RGBA; false if libjpeg must decode the file.
    func decode(to image: kf_jpeg_eighth) -> Bool {
        guard let codes = PooledMemory<kf_jpeg_codes>(scan.components.count),
            let factors = PooledMemory<UInt16>(64 * scan.components.count),
            let data = PooledMemory<UInt8>(scan.data.count + Int(KF_JPEG_PADDING)),
            let restarts = PooledMemory<UInt32>(intervals), let length = unstuff(to: data, restarts),
            let components = components(codes, factors)
        else { return false }
        return components.withUnsafeBufferPointer { components in
            guard let start = components.baseAddress else { return false }
            let scan = kf_jpeg_scan(
                components: start, count: Int32(components.count), columns: UInt32(columns),
                rows: UInt32(rows), restart_interval: UInt32(scan.restartInterval), data: data.start,
                length: length, restarts: restarts.start)
            return withExtendedLifetime((codes, factors, data, restarts)) { decode(scan, to: image) }
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
                    codes: table,
                    quantization: quantization))
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

    /// The number of bytes without stuffing; nil unless the scan ends with the image and has all its
    /// restarts.
    private func unstuff(to data: PooledMemory<UInt8>, _ restarts: PooledMemory<UInt32>) -> Int? {
        guard let source = scan.data.bytes.bindMemory(to: UInt8.self).baseAddress else { return nil }
        var (length, found) = (0, 0)
        let end = kf_jpeg_unstuff(
            source, scan.data.count, data.start, &length, restarts.start, intervals - 1, &found)
        guard scan.data.uint16(at: end, bigEndian: true) == 0xFFD9, found == intervals - 1 else { return nil }
        return length
    }

    private func decode(_ scan: kf_jpeg_scan, to image: kf_jpeg_eighth) -> Bool {
        var scan = scan
        let slack = Int(KF_JPEG_SLACK), isInterrupted = scan.restart_interval > 0
        let rooms = (0..<Int(KF_JPEG_STREAMS)).map {
            // A stream that is not used needs no memory.
            PooledMemory<kf_jpeg_block>($0 < streams ? blocksInInterval + slack : 1)
        }
        guard let first = rooms[0], let second = rooms[1], let third = rooms[2], let fourth = rooms[3],
            let all = PooledMemory<kf_jpeg_block>(isInterrupted ? blocks : 1),
            let row = PooledMemory<UInt8>(12 * columns)
        else { return false }
        let scratch = kf_jpeg_scratch(
            streams: (first.start, second.start, third.start, fourth.start), blocks: all.start, row: row.start
        )
        return withExtendedLifetime((first, second, third, fourth, all, row)) {
            kf_jpeg_decode_eighth(KernelLevel.current.native, &scan, Int32(streams), scratch, image)
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
