struct GIFRaster: ~Copyable {
    private let placement: GIFPlacement
    private let pixels: LZWDecoder

    /// Decompresses the frame. Never throws `truncated`: the index found every block complete, so truncated
    /// data inside them are corrupt.
    init(_ reader: ByteReader, _ placement: GIFPlacement) throws(ImageCodecError) {
        self.placement = placement
        let area = placement.size.isEmpty ? 0 : placement.size.area
        let pixels = try LZWDecoder(count: area)
        if area > 0 {
            let offset = placement.codeSizeOffset
            guard let codeSize = reader.uint8(at: offset) else { throw .truncated }
            try pixels.unpack(LZWCodes(reader, at: offset + 1), minimumCodeSize: codeSize)
        }
        self.pixels = pixels
    }

    func forEachRow(_ body: (_ y: Int, UnsafePointer<UInt8>) -> Void) {
        guard !placement.size.isEmpty else { return }
        var row = pixels.indices
        for y in GIFRowOrder(height: placement.size.height, isInterlaced: placement.isInterlaced) {
            body(y, row)
            row += placement.size.width
        }
    }
}

/// The storage order of a frame's rows: from top to bottom, or in GIF's four passes.
struct GIFRowOrder: Sequence {
    let height: Int
    let isInterlaced: Bool

    func makeIterator() -> some IteratorProtocol<Int> {
        let passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
        return passes.lazy.flatMap { stride(from: $0.0, to: height, by: $0.1) }.makeIterator()
    }
}
