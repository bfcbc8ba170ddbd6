import CSPNG

final class SPNGDecoder {
    private let context: OpaquePointer
    private let limits: ImageLimits

    /// The bytes of `reader` must outlive the decoder. `checksums` is false if they were checked before.
    init(_ reader: ByteReader, checksums: Bool = true) throws(ImageCodecError) {
        guard let context = spng_ctx_new(0) else { throw .outOfMemory }
        self.context = context
        limits = reader.limits
        if checksums { try Self.checkAncillaryChunks(of: reader) }
        let (critical, ancillary) =
            checksums ? (SPNG_CRC_ERROR, SPNG_CRC_DISCARD) : (SPNG_CRC_USE, SPNG_CRC_USE)
        try check(spng_set_crc_action(context, Int32(critical.rawValue), Int32(ancillary.rawValue)))
        let metadata = min(limits.maximumMetadataBytes, Int(Int32.max))
        try check(spng_set_chunk_limits(context, metadata, metadata))
        let side = UInt32(min(limits.maximumPixels, Int(Int32.max)))
        try check(spng_set_image_limits(context, side, side))
        try check(spng_set_png_buffer(context, reader.bytes.baseAddress, reader.count))
    }

    /// libspng knows one rule for all ancillary chunks. It discards those with a wrong checksum, but without
    /// its tRNS, for example, the image would be a wrong one.
    private static func checkAncillaryChunks(of reader: ByteReader) throws(ImageCodecError) {
        var chunks = PNGChunks(reader)
        while let chunk = try? chunks.next(), chunk.type != .IEND {
            if !chunk.type.isCritical, !chunk.type.isExpendable { try PNGChecksum.check(chunk, in: reader) }
        }
    }

    deinit {
        spng_ctx_free(context)
    }

    /// Starts decoding the rows of `file` as pixels of `target`, which is the format of `file` or RGBA of the
    /// same depth.
    ///
    /// Throws `tooMuchMemory` before libspng allocates anything if its rows and the `bytes` that the caller
    /// holds exceed the limit.
    func begin(_ file: PNGFileHeader, as target: PixelFormat, beside bytes: Int) throws(ImageCodecError) {
        // libspng holds a stored row, the row above it, and for interlaced images a decoded row.
        try limits.check(frameBytes: bytes, beside: 3 * file.size.width * target.bytesPerPixel)
        try maskTransparency(of: file)
        let (format, flags) = Self.output(for: file, as: target)
        try check(
            spng_decode_image(
                context, nil, 0, Int32(format.rawValue), flags | Int32(SPNG_DECODE_PROGRESSIVE.rawValue)))
    }

    /// Only the low bits of a transparent level count (W3C PNG, 11.3.1.1). libspng compares all 16 of a grey
    /// one if the pixels become RGBA.
    private func maskTransparency(of file: PNGFileHeader) throws(ImageCodecError) {
        var transparency = spng_trns()
        guard file.hasTransparencyChunk, file.colorType == .gray, file.bitDepth < 16,
            spng_get_trns(context, &transparency) == 0
        else { return }
        transparency.gray &= 1 << UInt16(file.bitDepth) - 1
        try check(spng_set_trns(context, &transparency))
    }

    /// Decodes the next row of `length` bytes; returns false if the file ends before it and the caller
    /// accepts a part.
    func readRow(
        into row: UnsafeMutableRawPointer, _ length: Int, acceptsPart: Bool
    ) throws(ImageCodecError) -> Bool {
        let status = spng_decode_row(context, row, length)
        if acceptsPart, Self.isEarlyEnd(status) { return false }
        // The status of the last row is SPNG_EOI.
        if status != SPNG_EOI.rawValue { try check(status) }
        return true
    }

    /// Fills `rows` with pixels of `target`.
    ///
    /// With `acceptsPart` one row is enough: if the file is truncated, the other rows are unchanged.
    func decode(
        _ file: PNGFileHeader, as target: PixelFormat, into rows: UnsafeMutableRawPointer, bytesPerRow: Int,
        acceptsPart: Bool = false
    ) throws(ImageCodecError) {
        let rowLength = file.size.width * target.bytesPerPixel
        try begin(file, as: target, beside: bytesPerRow * file.size.height)
        var place = spng_row_info()
        var isFirst = true
        // With an empty last pass the last row does not report SPNG_EOI, but the next row info does.
        while spng_get_row_info(context, &place) != SPNG_EOI.rawValue {
            guard place.row_num < file.size.height else { throw .corrupt("a row outside the image") }
            let row = rows + Int(place.row_num) * bytesPerRow
            let status = spng_decode_row(context, row, rowLength)
            if status == SPNG_EOI.rawValue { break }
            if acceptsPart, !isFirst, Self.isEarlyEnd(status) { return }
            try check(status)
            isFirst = false
        }
        try finish(acceptsPart: acceptsPart)
    }

    /// Reads up to IEND, because a file truncated after its pixels is also an error.
    func finish(acceptsPart: Bool = false) throws(ImageCodecError) {
        let status = spng_decode_chunks(context)
        if acceptsPart, Self.isEarlyEnd(status) { return }
        try check(status)
    }

    private static func isEarlyEnd(_ status: Int32) -> Bool {
        [SPNG_IO_EOF.rawValue, Int32(SPNG_EOF.rawValue), Int32(SPNG_EIDAT_TOO_SHORT.rawValue)].contains(
            status)
    }

    private static func output(for file: PNGFileHeader, as target: PixelFormat) -> (spng_format, Int32) {
        let transparency = file.hasTransparencyChunk ? Int32(SPNG_DECODE_TRNS.rawValue) : 0
        return switch (target.layout, target.depth) {
        case (.rgba, .sixteen): (SPNG_FMT_RGBA16, transparency)
        case (.rgba, .eight): (SPNG_FMT_RGBA8, transparency)
        case (.grayAlpha, .sixteen) where file.colorType == .gray: (SPNG_FMT_GA16, transparency)
        case (.grayAlpha, .eight) where file.colorType == .gray: (SPNG_FMT_GA8, transparency)
        case (.gray, .eight): (SPNG_FMT_G8, 0)
        case (.grayAlpha, _), (.gray, .sixteen): (SPNG_FMT_PNG, 0)
        }
    }

    private func check(_ status: Int32) throws(ImageCodecError) {
        switch status {
        case 0: return
        case _ where Self.isEarlyEnd(status): throw .truncated
        case Int32(SPNG_EMEM.rawValue): throw .outOfMemory
        case Int32(SPNG_ECHUNK_LIMITS.rawValue): throw .tooMuchMetadata
        default: throw .corrupt(String(cString: spng_strerror(status)))
        }
    }
}
