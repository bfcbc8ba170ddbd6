import CTIFF
import KingfisherCodecSupport
import KingfisherTIFFStructure

/// libtiff, which is loaded at first use.
enum TIFFLibrary {
    /// Throws `unsupported` with the name of the package if the library is missing.
    static func load() throws(ImageCodecError) {
        guard kf_tiff() == nil else { return }
        throw .unsupported("TIFF without \(String(cString: kf_tiff_missing()))")
    }
}

/// Reads the rows of a page by libtiff, from the first to the last, as pixels of the page's format.
///
/// The bytes must outlive it. Not for concurrent use.
final class TIFFReader {
    private let page: TIFFPage
    /// The pixels of a row that are read: whole tiles, or all if the page has strips.
    let columns: Range<Int>
    /// Strips of a plane are read in order, so each plane has a separate file handle.
    private var files: [OpaquePointer] = []
    private let palette: [UInt32]
    private let mixesInks: Bool
    /// The most bytes of a buffer.
    private let limit: Int
    /// A row, or a row of tiles, for each plane; or the piece that libtiff has converted.
    private var rows: [UnsafeMutableRawBufferPointer] = []
    private var tileBuffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var bytesPerRow = 0
    /// The rows of a piece that libtiff converts.
    private var pieceHeight = 0
    /// The first row of the tiles, or of the converted piece, in `rows`.
    private var start = -1

    /// Reads all pixels of rows, or at least `columns`.
    init(
        _ file: TIFFStructure, _ page: TIFFPage, mixesInks: Bool, columns wanted: Range<Int>? = nil
    ) throws(ImageCodecError) {
        try TIFFLibrary.load()
        self.page = page
        columns = page.columns(of: wanted ?? 0..<page.size.width)
        self.mixesInks = mixesInks
        palette = page.kind == .palette ? try Self.palette(file, page) : []
        limit = file.reader.limits.maximumFrameBytes
        guard let base = file.reader.bytes.bindMemory(to: UInt8.self).baseAddress else { throw .truncated }
        for _ in 0..<(page.tile == nil ? page.planes : 1) {
            var message = [CChar](repeating: 0, count: 256)
            let opened = kf_tiff_open(
                base, file.reader.count, UInt64(page.directory.offset), max(limit, 1),
                page.isJPEG ? 1 : 0, &message)
            guard let opened else {
                let text = message.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
                throw .corrupt("libtiff: \(String(decoding: text, as: UTF8.self))")
            }
            files.append(opened)
        }
        try check()
        try allocate()
    }

    deinit {
        for file in files { kf_tiff_close(file) }
        for row in rows { row.deallocate() }
        tileBuffer.deallocate()
    }

    /// The colours of the indices as RGBA bytes (`ColorMap`: TIFF 6.0, section 5).
    private static func palette(_ file: TIFFStructure, _ page: TIFFPage) throws(ImageCodecError) -> [UInt32] {
        let count = 1 << page.bits
        guard file.count(.colorMap, of: page.directory) >= 3 * count else { throw .corrupt("no palette") }
        func value(_ index: Int) -> Int { file.integer(.colorMap, at: index, of: page.directory) ?? 0 }
        // Some writers store 8 bits.
        let isShort = !(0..<3 * count).contains { value($0) > 255 }
        return (0..<count).map { index in
            let levels = (0..<3).map { channel -> UInt32 in
                let level = value(channel * count + index)
                return UInt32(isShort ? level : level >> 8)
            }
            return UInt32(littleEndian: levels[0] | levels[1] << 8 | levels[2] << 16 | 255 << 24)
        }
    }

    /// libtiff reads the same size from the directory as we did, or the buffers would be too small.
    private func check() throws(ImageCodecError) {
        var (width, height) = (UInt32(0), UInt32(0))
        kf_tiff_size(files[0], &width, &height)
        guard PixelSize(width: Int(width), height: Int(height)) == page.size else {
            throw .corrupt("libtiff reads another size")
        }
        guard page.kind != .converted else {
            guard kf_tiff_can_read_rgba(files[0]) != 0 else {
                throw .unsupported("libtiff: \(message)")
            }
            return
        }
        let expected = page.rowBytes(page.tile?.width ?? page.size.width)
        guard kf_tiff_row_bytes(files[0], page.tile == nil ? 0 : 1) == UInt64(expected) else {
            throw .corrupt("libtiff reads rows of another length")
        }
    }

    private func allocate() throws(ImageCodecError) {
        func take(_ bytes: Int) throws(ImageCodecError) -> UnsafeMutableRawBufferPointer {
            guard bytes <= limit else { throw .tooMuchMemory }
            return .allocate(byteCount: max(bytes, 1), alignment: 16)
        }
        if page.kind == .converted {
            // Not the rows of the file's strips, which libtiff may divide.
            let rowsPerStrip = min(Int(kf_tiff_rows_per_strip(files[0])), page.size.height)
            guard page.tile != nil || rowsPerStrip > 0 else { throw .corrupt("strips without rows") }
            let piece = page.tile ?? PixelSize(width: page.size.width, height: rowsPerStrip)
            let across = page.tile.map { (columns.count + $0.width - 1) / $0.width } ?? 1
            pieceHeight = piece.height
            bytesPerRow = across * piece.width * 4
            rows = [try take(bytesPerRow * piece.height)]
            if page.tile != nil { tileBuffer = try take(piece.area * 4) }
            return
        }
        guard let tile = page.tile else {
            for _ in 0..<page.planes { rows.append(try take(page.rowBytes(page.size.width))) }
            return
        }
        let across = (columns.count + tile.width - 1) / tile.width
        let bytes = kf_tiff_tile_bytes(files[0])
        guard bytes == UInt64(page.rowBytes(tile.width) * tile.height) else {
            throw .corrupt("libtiff reads tiles of another length")
        }
        tileBuffer = try take(Int(bytes))
        bytesPerRow = across * page.rowBytes(tile.width)
        for _ in 0..<page.planes { rows.append(try take(bytesPerRow * tile.height)) }
    }

    private var message: String {
        files.map { String(cString: kf_tiff_message($0)) }.first { !$0.isEmpty } ?? "it cannot be read"
    }

    private func fail() -> ImageCodecError { .corrupt("libtiff: \(message)") }

    /// The first row from which `read` may go on to row `y`.
    func firstRow(before y: Int) -> Int {
        guard page.tile == nil, page.kind != .converted else { return y }
        let rows = max(1, Int(kf_tiff_rows_per_strip(files[0])))
        return y / rows * rows
    }

    /// Writes the wanted pixels of row `y` to `target`; rows are asked for in order.
    func read(_ y: Int, into target: UnsafeMutableRawPointer) throws(ImageCodecError) {
        if page.kind == .converted { return try readConverted(y, into: target) }
        guard let tile = page.tile else {
            for plane in 0..<page.planes {
                guard let row = rows[plane].baseAddress,
                    kf_tiff_read_row(files[plane], row, UInt32(y), UInt16(plane)) != 0
                else { throw fail() }
            }
            return convert(rowAt: 0, into: target)
        }
        if start < 0 || y >= start + tile.height {
            start = y / tile.height * tile.height
            for plane in 0..<page.planes { try readTiles(plane, tile) }
        }
        convert(rowAt: (y - start) * bytesPerRow, into: target)
    }

    private func tileStarts(_ tile: PixelSize) -> StrideTo<Int> {
        stride(from: columns.lowerBound, to: columns.upperBound, by: tile.width)
    }

    /// The row of tiles from `start` on.
    private func readTiles(_ plane: Int, _ tile: PixelSize) throws(ImageCodecError) {
        let bytes = page.rowBytes(tile.width)
        guard let target = rows[plane].baseAddress, let source = tileBuffer.baseAddress else { return }
        for (index, x) in tileStarts(tile).enumerated() {
            guard
                kf_tiff_read_tile(
                    files[0], source, tileBuffer.count, UInt32(x), UInt32(start), UInt16(plane)) != 0
            else { throw fail() }
            for row in 0..<tile.height {
                (target + row * bytesPerRow + index * bytes).copyMemory(
                    from: source + row * bytes, byteCount: bytes)
            }
        }
    }

    // MARK: Pixels

    private func convert(rowAt offset: Int, into target: UnsafeMutableRawPointer) {
        let width = columns.count
        switch page.kind {
        case .palette:
            let indices = target.assumingMemoryBound(to: UInt8.self)
            guard var samples = samples(0, at: offset) else { return }
            kf_tiff_indices(&samples, width, indices)
            // Backwards, because a colour takes the place of four indices.
            for x in stride(from: width - 1, through: 0, by: -1) {
                target.storeBytes(of: palette[Int(indices[x])], toByteOffset: x * 4, as: UInt32.self)
            }
        case .gray:
            let hasAlpha = page.format.layout == .grayAlpha
            unpack([0] + (hasAlpha ? [1] : []), at: offset, into: target)
        case .rgb:
            unpack(page.alpha == .none ? [0, 1, 2] : [0, 1, 2, 3], at: offset, into: target)
            if page.alpha == .none { fillAlpha(target) }
        case .inks:
            unpack([0, 1, 2, 3], at: offset, into: target)
            if mixesInks { kf_tiff_mix_inks(target.assumingMemoryBound(to: UInt8.self), width) }
        case .converted: break
        }
    }

    private func samples(_ channel: Int, at offset: Int) -> kf_tiff_samples? {
        guard let row = rows[page.isPlanar ? channel : 0].baseAddress else { return nil }
        let isInk = page.kind == .inks
        return kf_tiff_samples(
            row: UnsafeRawPointer(row + offset), bits: Int32(page.bits), kind: page.sampleKind,
            first: page.isPlanar ? 0 : channel, step: page.isPlanar ? 1 : page.samples,
            inverted: isInk || (page.isInverted && channel == 0) ? 1 : 0)
    }

    private func unpack(_ channels: [Int], at offset: Int, into target: UnsafeMutableRawPointer) {
        let step = page.format.layout.channels
        for channel in channels {
            guard var samples = samples(channel, at: offset) else { return }
            if page.format.depth == .sixteen {
                let first = target.assumingMemoryBound(to: UInt16.self) + channel
                kf_tiff_unpack16(&samples, columns.count, first, step)
            } else {
                let first = target.assumingMemoryBound(to: UInt8.self) + channel
                kf_tiff_unpack8(&samples, columns.count, first, step)
            }
        }
    }

    private func fillAlpha(_ target: UnsafeMutableRawPointer) {
        if page.format.depth == .sixteen {
            let samples = target.assumingMemoryBound(to: UInt16.self)
            for x in columns.indices { samples[4 * (x - columns.lowerBound) + 3] = .max }
        } else {
            let samples = target.assumingMemoryBound(to: UInt8.self)
            for x in columns.indices { samples[4 * (x - columns.lowerBound) + 3] = .max }
        }
    }

    /// libtiff's own RGBA, whose pieces begin with their last row.
    private func readConverted(_ y: Int, into target: UnsafeMutableRawPointer) throws(ImageCodecError) {
        if start < 0 || y >= start + pieceHeight {
            start = y / pieceHeight * pieceHeight
            try convertPiece()
        }
        guard let pixels = rows[0].baseAddress else { return }
        target.copyMemory(from: pixels + (y - start) * bytesPerRow, byteCount: columns.count * 4)
        if page.alpha == .none { fillAlpha(target) }
    }

    private func convertPiece() throws(ImageCodecError) {
        guard let target = rows[0].baseAddress else { return }
        guard let tile = page.tile, let source = tileBuffer.baseAddress else {
            let pixels = target.assumingMemoryBound(to: UInt32.self)
            guard kf_tiff_read_rgba(files[0], pixels, 0, 0, UInt32(start)) != 0 else { throw fail() }
            return flip(target, min(pieceHeight, page.size.height - start))
        }
        for (index, x) in tileStarts(tile).enumerated() {
            let pixels = source.assumingMemoryBound(to: UInt32.self)
            guard kf_tiff_read_rgba(files[0], pixels, 1, UInt32(x), UInt32(start)) != 0 else { throw fail() }
            for row in 0..<tile.height {
                (target + row * bytesPerRow + index * tile.width * 4).copyMemory(
                    from: source + (tile.height - 1 - row) * tile.width * 4, byteCount: tile.width * 4)
            }
        }
    }

    private func flip(_ pixels: UnsafeMutableRawPointer, _ height: Int) {
        for row in 0..<height / 2 {
            let (upper, lower) = (pixels + row * bytesPerRow, pixels + (height - 1 - row) * bytesPerRow)
            for x in stride(from: 0, to: bytesPerRow, by: 4) {
                let pixel = upper.load(fromByteOffset: x, as: UInt32.self)
                upper.storeBytes(
                    of: lower.load(fromByteOffset: x, as: UInt32.self), toByteOffset: x, as: UInt32.self)
                lower.storeBytes(of: pixel, toByteOffset: x, as: UInt32.self)
            }
        }
    }
}
