/// The data of consecutive IDAT chunks, piece by piece as they lie in the file.
struct PNGDataPieces {
    private let reader: ByteReader
    private var chunks: PNGChunks

    /// `range` begins and ends with a chunk; the last one's data may be cut.
    init(_ reader: ByteReader, in range: Range<Int>) {
        self.reader = ByteReader(UnsafeRawBufferPointer(rebasing: reader.bytes[..<range.upperBound]))
        chunks = PNGChunks(self.reader, from: range.lowerBound)
    }

    /// The next piece, which is not empty; nil at the end.
    mutating func next() -> UnsafeRawBufferPointer? {
        while let chunk = try? chunks.next() {
            let end = min(chunk.data + chunk.length, reader.count)
            if chunk.data < end { return UnsafeRawBufferPointer(rebasing: reader.bytes[chunk.data..<end]) }
        }
        return nil
    }

    /// The first `count` bytes of what is left, which the pieces may share.
    func peek(_ count: Int) -> [UInt8] {
        var copy = self
        var bytes: [UInt8] = []
        while bytes.count < count, let piece = copy.next() { bytes += piece.prefix(count - bytes.count) }
        return bytes
    }
}
