import Foundation

extension PNGDecoder {
    /// Decodes the available rows of a truncated file; throws `truncated` if there are none.
    ///
    /// The other rows are transparent, or black in an opaque image. Of an interlaced image the available
    /// passes are decoded, with gaps between their pixels. The available data are checked as strictly as a
    /// complete file.
    ///
    /// libspng ignores a truncated chunk, so the available data are passed on as one complete chunk.
    static func decodePartByLibspng(
        _ file: PNGFileHeader, _ reader: ByteReader, _ minimumSize: PixelSize?
    ) throws(ImageCodecError) -> PixelBuffer {
        let chunks = try PNGPixelChunks(scanning: reader, acceptsPart: true)
        try checkStream(PNGDataPieces(reader, in: chunks.data), of: file)
        var whole = PNGAssembly(hasChecksums: false)
        if let header = reader.slice(at: 16, count: 13) { whole.append(.IHDR, payload: [header.bytes]) }
        for chunk in [chunks.palette, chunks.transparency] {
            guard let chunk, let bytes = reader.slice(at: chunk.data, count: chunk.length) else { continue }
            whole.append(chunk.type, payload: [bytes.bytes])
        }
        var pieces = PNGDataPieces(reader, in: chunks.data)
        whole.append(.IDAT, payload: Array(AnyIterator { pieces.next() }))
        return try whole.data.reading { reader throws(ImageCodecError) in
            try decodeByLibspng(file, reader, minimumSize, checksums: false, acceptsPart: true)
        }
    }

    /// Throws `corrupt` for invalid data or a wrong checksum; libspng verifies the checksum only in complete
    /// files.
    private static func checkStream(
        _ pieces: PNGDataPieces, of file: PNGFileHeader
    ) throws(ImageCodecError) {
        // One filter byte per row; the seven passes of Adam7 have about two rows per row of the image.
        let most = PixelBuffer.byteCount(of: file.size, format: file.pixelFormat) + 4 * (file.size.height + 8)
        if let inflater = PNGInflater(pieces), !inflater.isValid(upTo: most) {
            throw .corrupt("a corrupt stream of pixels")
        }
    }

    static func blacken(_ rows: UnsafeMutableRawPointer, bytesPerRow: Int, _ file: PNGFileHeader) {
        guard file.pixelFormat.layout == .rgba else { return }
        for y in 0..<file.size.height {
            let row = rows + y * bytesPerRow
            for x in 0..<file.size.width {
                switch file.pixelFormat.depth {
                case .eight: row.storeBytes(of: UInt8.max, toByteOffset: x * 4 + 3, as: UInt8.self)
                case .sixteen: row.storeBytes(of: UInt16.max, toByteOffset: x * 8 + 6, as: UInt16.self)
                }
            }
        }
    }
}
