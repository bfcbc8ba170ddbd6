/// The data of consecutive IDAT chunks, one piece per chunk.
struct PNGDataPieces {
    private let reader: ByteReader
    private var chunks: PNGChunks

    /// `range` starts and ends with a chunk; the last one may be truncated.
    init(_ reader: ByteReader, in range: Range<Int>) {
        self.reader = ByteReader(UnsafeRawBufferPointer(rebasing: reader.bytes[..<range.upperBound]))
        chunks = PNGChunks(self.reader, from: range.lowerBound)
    }

    mutating func next() -> UnsafeRawBufferPointer? {
        while let chunk = try? chunks.next() {
            let end = min(chunk.data + chunk.length, reader.count)
            if chunk.data < end { return UnsafeRawBufferPointer(rebasing: reader.bytes[chunk.data..<end]) }
        }
        return nil
    }

    func peek(_ count: Int) -> [UInt8] {
        var copy = self
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = copy.next() { bytes += piece.prefix(count - bytes.count) }
        return bytes
    }
}
