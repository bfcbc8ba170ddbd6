import Foundation

extension PNGCodec {
    /// Decodes the rows that came of a file that ends early; throws `truncated` where there is none.
    ///
    /// The other rows are clear, or black in an opaque image. Of an interlaced image the passes that came
    /// are there, with gaps between their pixels. What came is checked as strictly as a whole file.
    ///
    /// libspng takes nothing of a chunk that is cut: it gets what came as one that is not.
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

    /// Throws `corrupt` for a fault or a wrong checksum in what came; libspng looks for the checksum only in
    /// files that are whole.
    private static func checkStream(
        _ pieces: PNGDataPieces, of file: PNGFileHeader
    ) throws(ImageCodecError) {
        // A byte for the filter of each row, of which seven passes have two for one of the image's.
        let most = PixelBuffer.byteCount(of: file.size, format: file.pixelFormat) + 4 * (file.size.height + 8)
        if let inflater = PNGInflater(pieces), !inflater.isSound(upTo: most) {
            throw .corrupt("a damaged stream of pixels")
        }
    }

    /// Makes zeros opaque.
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
