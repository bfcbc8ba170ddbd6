import CKernels

/// Decodes the DC scans that `JPEGCoarseFile` keeps of a progressive file, to an eighth of its size and with
/// libjpeg's pixels (decision 059).
///
/// libjpeg needs room for all 64 coefficients of a block, and passes over all of it. Files that are not
/// supported or not certainly valid are refused, as by `JPEGBaselineDecoder`.
struct JPEGCoarseDecoder {
    private struct Scan {
        /// Indices of components, and their tables unless the scan refines coefficients.
        let components: [Int]
        let tables: [JPEGTables.HuffmanTable]?
        let restartInterval: Int
        let shift: Int
        /// The entropy-coded bytes and what follows them.
        let data: ByteReader
    }

    private let size: PixelSize
    private var tables = JPEGTables()
    private var scans: [Scan] = []

    init?(_ reader: ByteReader, frame: JPEGFrameHeader) {
        guard frame.frameMarker == 0xC2, frame.precision == 8,
            max(frame.size.width, frame.size.height) <= 65_500
        else { return nil }
        size = frame.size
        var offset = 2
        while let (code, next) = try? JPEGFrameHeader.marker(in: reader, from: offset), code != 0xD9 {
            offset = next
            // Also the markers in the data of a scan, which `marker` passes over.
            if code == 0x01 || (0xD0...0xD7).contains(code) { continue }
            guard let length = reader.uint16(at: next, bigEndian: true),
                let body = reader.slice(at: next + 2, count: length - 2)
            else { return nil }
            offset = next + length
            if code == 0xDA {
                // libjpeg decides about colours at the first scan.
                guard !scans.isEmpty || tables.isYCbCr else { return nil }
                guard takeScan(body, reader.slice(at: offset, count: reader.count - offset)) else {
                    return nil
                }
                continue
            }
            // libjpeg keeps the factors with which a component's first scan was read.
            guard code != 0xDB || scans.isEmpty, tables.take(segment: code, body) else { return nil }
        }
        guard !scans.isEmpty else { return nil }
    }

    /// The header of a scan of one or all components, which `JPEGCoarseFile` has checked.
    private mutating func takeScan(_ body: ByteReader, _ data: ByteReader?) -> Bool {
        guard let data, let count = body.uint8(at: 0), count == 1 || count == tables.components.count,
            body.count == 4 + 2 * count, let approximation = body.uint8(at: body.count - 1)
        else { return false }
        var components: [Int] = [], own: [JPEGTables.HuffmanTable] = []
        let isFirst = approximation >> 4 == 0
        for index in 0..<count {
            let identifier = Int(body.bytes[1 + 2 * index]), table = Int(body.bytes[2 + 2 * index] >> 4)
            guard let component = tables.components.firstIndex(where: { $0.identifier == identifier }),
                count == 1 || component == index
            else { return false }
            components.append(component)
            guard isFirst else { continue }
            guard table < 4, let definition = tables.dcTables[table] else { return false }
            own.append(definition)
        }
        scans.append(
            Scan(
                components: components, tables: isFirst ? own : nil, restartInterval: tables.restartInterval,
                shift: approximation & 15, data: data))
        return true
    }

    /// Decodes to rows of grey or RGBA; false if libjpeg must decode the file.
    func decode(to image: kf_jpeg_output) -> Bool {
        let columns = tables.columns(of: size), rows = tables.rows(of: size)
        let planes = tables.components.compactMap {
            PooledMemory<Int16>(columns * $0.horizontal * rows * $0.vertical)
        }
        guard planes.count == tables.components.count,
            let factors = PooledMemory<UInt16>(64 * planes.count),
            let components = tables.kernelComponents(factors)
        else { return false }
        for (plane, component) in zip(planes, tables.components) {
            let count = columns * component.horizontal * rows * component.vertical
            plane.start.initialize(repeating: 0, count: count)
        }
        guard scans.allSatisfy({ read($0, to: planes) }) else { return false }
        return components.withUnsafeBufferPointer { components in
            guard let start = components.baseAddress, let data = scans.first?.data.bytes.baseAddress else {
                return false
            }
            var scan = kf_jpeg_scan(
                components: start, count: Int32(components.count), columns: UInt32(columns),
                rows: UInt32(rows), restart_interval: 0, source: data.assumingMemoryBound(to: UInt8.self),
                source_count: 0)
            guard let row = PooledMemory<UInt8>(kf_jpeg_row_size(&scan, 1)) else { return false }
            let starts = planes.map { UnsafePointer($0.start) }
            withExtendedLifetime((planes, factors, row)) {
                kf_jpeg_draw_dc(KernelLevel.current.native, &scan, starts, row.start, image)
            }
            return true
        }
    }

    private func read(_ scan: Scan, to planes: [PooledMemory<Int16>]) -> Bool {
        let isSingle = scan.components.count == 1
        let component = tables.components[scan.components[0]]
        let columns =
            isSingle ? blocks(size.width, component.horizontal, tables.horizontal) : tables.columns(of: size)
        let rows = isSingle ? blocks(size.height, component.vertical, tables.vertical) : tables.rows(of: size)
        let restarts = scan.restartInterval > 0 ? (columns * rows - 1) / scan.restartInterval : 0
        guard let codes = PooledMemory<kf_jpeg_code>(scan.components.count),
            let bytes = PooledMemory<UInt8>(scan.data.count + Int(KF_JPEG_PADDING)),
            let starts = PooledMemory<UInt32>(restarts + 1),
            let source = scan.data.bytes.bindMemory(to: UInt8.self).baseAddress
        else { return false }
        let data = kf_jpeg_unstuff(
            source, scan.data.count, bytes.start, scan.data.count, 0, starts.start, restarts)
        guard data.is_end else { return false }
        (bytes.start + data.written).update(repeating: 0, count: Int(KF_JPEG_PADDING))
        var components: [kf_jpeg_dc_component] = []
        for (index, number) in scan.components.enumerated() {
            let component = tables.components[number]
            if let definition = scan.tables?[index].definition {
                guard kf_jpeg_make_code(codes.start + index, definition) else { return false }
            }
            components.append(
                kf_jpeg_dc_component(
                    horizontal: isSingle ? 1 : Int32(component.horizontal),
                    vertical: isSingle ? 1 : Int32(component.vertical),
                    code: scan.tables == nil ? nil : UnsafePointer(codes.start + index),
                    values: planes[number].start, stride: tables.columns(of: size) * component.horizontal))
        }
        return components.withUnsafeBufferPointer { components in
            guard let start = components.baseAddress else { return false }
            var scan = kf_jpeg_dc_scan(
                components: start, count: Int32(components.count), columns: UInt32(columns),
                rows: UInt32(rows), restart_interval: UInt32(scan.restartInterval), shift: Int32(scan.shift),
                data: bytes.start, length: data.written, restarts: starts.start,
                restart_count: data.restarts)
            return withExtendedLifetime((codes, bytes, starts)) { kf_jpeg_read_dc(&scan) }
        }
    }

    /// The blocks along a side of a component.
    private func blocks(_ side: Int, _ factor: Int, _ most: Int) -> Int {
        ((side * factor + most - 1) / most + 7) / 8
    }
}
