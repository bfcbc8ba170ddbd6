import CGIF

/// Unpacks one frame's palette indices with giflib.
///
/// giflib reads a stream from its start; it is given a made-up screen descriptor and then the file from the
/// frame's descriptor on, so any frame can be unpacked without the ones before.
struct GIFRaster {
    private let reader: ByteReader
    private let placement: GIFPlacement

    init(_ reader: ByteReader, _ placement: GIFPlacement) {
        self.reader = reader
        self.placement = placement
    }

    /// Calls `body` with each row of indices and its place in the frame, in the order of the file.
    func forEachRow(_ body: (_ y: Int, UnsafePointer<UInt8>) -> Void) throws(ImageCodecError) {
        guard !placement.size.isEmpty else { return }
        let stream = GIFStream(reader, from: placement.offset)
        try withExtendedLifetime(stream) { () throws(ImageCodecError) in
            var status: Int32 = 0
            guard let file = DGifOpen(Unmanaged.passUnretained(stream).toOpaque(), GIFStream.read, &status)
            else { throw Self.error(status) }
            defer { DGifCloseFile(file, nil) }
            var record = UNDEFINED_RECORD_TYPE
            guard DGifGetRecordType(file, &record) == GIF_OK, record == IMAGE_DESC_RECORD_TYPE,
                DGifGetImageDesc(file) == GIF_OK
            else { throw Self.error(file.pointee.Error) }
            let row = UnsafeMutablePointer<UInt8>.allocate(capacity: placement.size.width)
            defer { row.deallocate() }
            for y in GIFRowOrder(height: placement.size.height, isInterlaced: placement.isInterlaced) {
                guard DGifGetLine(file, row, Int32(placement.size.width)) == GIF_OK else {
                    throw Self.error(file.pointee.Error)
                }
                body(y, row)
            }
        }
    }

    /// Never `truncated`: the index has found every block whole, so data that end early are damaged.
    private static func error(_ status: Int32) -> ImageCodecError {
        .corrupt(GifErrorString(status).map { String(cString: $0) } ?? "a damaged frame")
    }
}

/// The order in which a frame's rows are stored: from top to bottom, or in GIF's four passes.
struct GIFRowOrder: Sequence {
    let height: Int
    let isInterlaced: Bool

    func makeIterator() -> some IteratorProtocol<Int> {
        let passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
        return passes.lazy.flatMap { stride(from: $0.0, to: height, by: $0.1) }.makeIterator()
    }
}
