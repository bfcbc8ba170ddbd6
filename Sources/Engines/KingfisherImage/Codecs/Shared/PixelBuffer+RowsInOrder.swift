extension PixelBuffer {
    /// Makes an image for a codec that decodes rows in order, from the top; with a minimum size, an image of
    /// fewer pixels without a canvas of the full size.
    ///
    /// `read` writes the rows `wanted` to `rows`, `bytesPerRow` bytes apart. It is called on the caller's
    /// thread with ranges that follow one another and cover the image, a few rows each.
    ///
    /// With `minimumSize` whole boxes of pixels are averaged, which leaves at least twice `minimumSize`;
    /// straight alpha then becomes premultiplied. Only the result and about a megabyte of rows are in memory,
    /// unless a row has more than that. `others` is the codec's working memory in bytes.
    ///
    /// Throws the error of `read`, or a limit error before allocating more than `ImageLimits` allow.
    public static func decodingRows(
        _ size: PixelSize, format: PixelFormat, minimumSize: PixelSize?, beside others: Int = 0,
        _ read: (
            _ wanted: Range<Int>, _ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int
        ) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.current.check(size)
        let bytes = memoryOfRows(size, format: format, minimumSize: minimumSize)
        try ImageLimits.current.check(frameBytes: bytes, beside: others)
        let shrink = minimumSize.flatMap { RowShrink(size, format: format, minimumSize: $0) }
        if let shrink {
            return try withoutActuallyEscaping(read) { read throws(ImageCodecError) in
                let rows = ClosureRows(size, rowsAtOnce: shrink.rowsAtOnce, read)
                var isWhole = false
                return try shrink.image(from: rows, isWhole: &isWhole)
            }
        }
        return try decoding(size, format: format) { target, bytesPerRow throws(ImageCodecError) in
            let step = RowShrink.rowsAtOnce(size, format)
            for y in stride(from: 0, to: size.height, by: step) {
                try read(y..<min(y + step, size.height), target + y * bytesPerRow, bytesPerRow)
            }
        }
    }

    /// The same with averages of boxes of `box` x `box` pixels, at most 255, or all pixels for 1.
    package static func decodingRows(
        _ size: PixelSize, format: PixelFormat, box: Int,
        _ read: (
            _ wanted: Range<Int>, _ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int
        ) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        guard box > 1 else { return try decodingRows(size, format: format, minimumSize: nil, read) }
        let shrink = RowShrink(size, format: format, box: box)
        return try withoutActuallyEscaping(read) { read throws(ImageCodecError) in
            var isWhole = false
            return try shrink.image(
                from: ClosureRows(size, rowsAtOnce: shrink.rowsAtOnce, read), isWhole: &isWhole)
        }
    }

    /// The bytes that `decodingRows` takes: the result, and the rows that are in memory with it; saturates.
    public static func memoryOfRows(_ size: PixelSize, format: PixelFormat, minimumSize: PixelSize?) -> Int {
        guard let shrink = minimumSize.flatMap({ RowShrink(size, format: format, minimumSize: $0) }) else {
            return byteCount(of: size, format: format)
        }
        return shrink.byteCount(rowsAtOnce: shrink.rowsAtOnce)
    }
}

/// The rows of a codec's closure.
private final class ClosureRows: RowsInOrder {
    typealias Read = (
        _ wanted: Range<Int>, _ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) throws(ImageCodecError) -> Void

    let rowsAtOnce: Int
    private let height: Int
    private let closure: Read
    private var next = 0

    init(_ size: PixelSize, rowsAtOnce: Int, _ read: @escaping Read) {
        self.rowsAtOnce = rowsAtOnce
        height = size.height
        closure = read
    }

    func read(
        _ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int
    ) throws(ImageCodecError) -> Bool {
        let end = min(next + count, height)
        try closure(next..<end, target, stride)
        next = end
        return true
    }
}
