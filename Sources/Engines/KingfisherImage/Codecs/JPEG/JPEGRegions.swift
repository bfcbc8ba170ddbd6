import CKernels
import Synchronization

/// Decodes parts of a baseline JPEG file by an index, which is made while the whole image is drawn for the
/// first time.
///
/// Only files that `JPEGBaselineDecoder` decodes. At full size the pixels are libjpeg's.
final class JPEGRegions: ImageRegions {
    /// An eighth of the size.
    let deepestLevel = 3
    let header: ImageHeader

    /// Its bytes are those of the decoders.
    private let file: EncodedFile
    private let decoders: [JPEGBaselineDecoder]
    private let tables: JPEGKernelTables
    private let colors: ICCTransform?
    private let index = Mutex<JPEGIndex?>(nil)

    /// Nil for a file that must be decoded as a whole.
    init?(_ file: EncodedFile, _ frame: JPEGFrameHeader, _ header: ImageHeader) {
        decoders = (0...deepestLevel).compactMap {
            JPEGBaselineDecoder(file.reader, frame: frame, scale: JPEGScale(eighths: 8 >> $0))
        }
        guard decoders.count > deepestLevel, let tables = JPEGKernelTables(decoders[0].scan.tables) else {
            return nil
        }
        (self.file, self.tables, self.header) = (file, tables, header)
        colors = frame.colors
    }

    func whole(level: Int) throws(ImageCodecError) -> PixelBuffer? {
        let decoder = decoders[level]
        let known = index.withLock { $0 }
        let new = known == nil ? JPEGIndex(columns: decoder.columns, rows: decoder.rows) : nil
        var isDrawn = false
        let pixels = try PixelBuffer.decoding(decoder.size, format: decoder.format, extent: decoder.extent) {
            rows, bytesPerRow in
            let output = kf_jpeg_output(rows, bytesPerRow, decoder.size)
            isDrawn = JPEGRows(decoder, image: output, index: new)?.draw(upTo: decoder.size.height) ?? false
        }
        guard isDrawn else { return nil }
        if let new { index.withLock { $0 = new } }
        return try colors?.converted(pixels) ?? pixels
    }

    func part(_ area: PixelArea, level: Int) throws(ImageCodecError) -> PixelBuffer {
        let decoder = decoders[level]
        guard let index = index.withLock({ $0 }), let part = JPEGPart(area, decoder) else {
            throw .corrupt("the JPEG has no such part")
        }
        let drawn = try PixelBuffer.decoding(part.size, format: decoder.format) {
            rows, bytesPerRow throws(ImageCodecError) in
            guard let reader = JPEGPartReader(part, decoder, tables, index) else { throw .outOfMemory }
            let isDrawn = reader.draw(to: kf_jpeg_output(rows, bytesPerRow, part.size))
            guard isDrawn else { throw .corrupt("the data of a JPEG scan") }
        }
        let pixels = try drawn.cropped(
            x: area.x - part.x, y: area.y - part.y, width: area.size.width, height: area.size.height)
        return try colors?.converted(pixels) ?? pixels
    }
}

/// The MCUs that an area needs.
struct JPEGPart {
    let columns: Range<Int>
    let rows: Range<Int>
    /// The pixels of the MCUs at the scale.
    let x: Int, y: Int
    let size: PixelSize

    /// Nil for an area outside of the image.
    init?(_ area: PixelArea, _ decoder: JPEGBaselineDecoder) {
        let tables = decoder.scan.tables
        func range(_ start: Int, _ length: Int, of whole: Int, blocks: Int, mcus: Int) -> Range<Int>? {
            guard start >= 0, length > 0, length <= whole, start <= whole - length else { return nil }
            let pixels = blocks * decoder.eighths
            // Chroma between two MCUs is interpolated from both.
            let margin = decoder.eighths == 8 && blocks > 1 ? 1 : 0
            let (first, end) = (start / pixels - margin, (start + length - 1) / pixels + 1 + margin)
            return max(first, 0)..<min(end, mcus)
        }
        guard
            let columns = range(
                area.x, area.size.width, of: decoder.size.width, blocks: tables.horizontal,
                mcus: decoder.columns),
            let rows = range(
                area.y, area.size.height, of: decoder.size.height, blocks: tables.vertical, mcus: decoder.rows
            )
        else { return nil }
        let (width, height) = (tables.horizontal * decoder.eighths, tables.vertical * decoder.eighths)
        (self.columns, self.rows) = (columns, rows)
        (x, y) = (columns.lowerBound * width, rows.lowerBound * height)
        size = PixelSize(
            width: min(columns.upperBound * width, decoder.size.width) - x,
            height: min(rows.upperBound * height, decoder.size.height) - y)
    }
}

extension kf_jpeg_output {
    init(_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ size: PixelSize) {
        self.init(
            rows: rows.assumingMemoryBound(to: UInt8.self), bytes_per_row: bytesPerRow,
            row_count: UInt32(size.height), width: UInt32(size.width), height: UInt32(size.height))
    }
}
