extension PixelBuffer {
    /// Makes an image for a codec whose library delivers pieces of rows in any order; with a minimum size, an
    /// image of fewer pixels without a canvas of the full size.
    ///
    /// `decode` is called once, on the caller's thread, and passes every pixel to `RowPieces.put`. Sizes,
    /// alpha and averages are the same as in `decodingRows`. With `minimumSize`, only the boxes of rows that
    /// are incomplete are in memory with the result: about two rows of tiles, if the tiles arrive row by row.
    ///
    /// Throws the error of `decode`, `truncated` if pixels are missing, or a limit error before allocating
    /// more than `ImageLimits` allow. `others` is the codec's working memory in bytes.
    public static func decodingPieces(
        _ size: PixelSize, format: PixelFormat, minimumSize: PixelSize?, beside others: Int = 0,
        _ decode: (RowPieces) throws(ImageCodecError) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.current.check(size)
        guard let shrink = minimumSize.flatMap({ RowShrink(size, format: format, minimumSize: $0) }) else {
            try ImageLimits.current.check(frameBytes: byteCount(of: size, format: format), beside: others)
            return try decoding(size, format: format) { rows, bytesPerRow throws(ImageCodecError) in
                let pieces = RowPieces(size, format, into: .rows(rows, bytesPerRow))
                try decode(pieces)
                try pieces.checkResult()
            }
        }
        let bytes = byteCount(of: shrink.plan.size, format: format)
        try ImageLimits.current.check(frameBytes: bytes, beside: others)
        let target = format.alpha == .straight ? format.premultiplied : format
        return try decoding(shrink.plan.size, format: target, extent: shrink.plan.extent) {
            rows, bytesPerRow throws(ImageCodecError) in
            let boxes = try RowBoxes(shrink, rows, bytesPerRow, beside: bytes + others)
            let pieces = RowPieces(size, format, into: .boxes(boxes))
            try decode(pieces)
            try pieces.checkResult()
        }
    }
}

/// Receives the pixels of an image in pieces of rows, for `PixelBuffer.decodingPieces`.
///
/// Valid during the call of `decode`, on its thread.
public final class RowPieces {
    enum Target {
        case rows(UnsafeMutableRawPointer, Int)
        case boxes(RowBoxes)
    }

    private let size: PixelSize
    private let format: PixelFormat
    private let target: Target
    private var missing: Int

    init(_ size: PixelSize, _ format: PixelFormat, into target: Target) {
        (self.size, self.format, self.target) = (size, format, target)
        missing = size.area
    }

    /// Calls `write` with memory for `count` pixels of row `y` from `x` on, in the format of the image.
    ///
    /// Every pixel is put once; a second time is ignored if the image is shrunk. Ignores a piece that is not
    /// inside of the image.
    public func put(_ count: Int, x: Int, y: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
        guard count > 0, x >= 0, y >= 0, y < size.height, x < size.width, count <= size.width - x else {
            return
        }
        missing -= count
        switch target {
        case .rows(let rows, let bytesPerRow): write(rows + y * bytesPerRow + x * format.bytesPerPixel)
        case .boxes(let boxes): boxes.put(count, x: x, y: y, write)
        }
    }

    fileprivate func checkResult() throws(ImageCodecError) {
        if case .boxes(let boxes) = target {
            if let failure = boxes.failure { throw failure }
            guard boxes.isComplete else { throw .truncated }
        }
        guard missing <= 0 else { throw .truncated }
    }
}

/// The rows of boxes that are incomplete, at full width.
final class RowBoxes {
    private struct Box {
        let rows: UnsafeMutablePointer<UInt8>
        var missing: Int
    }

    private(set) var failure: ImageCodecError?
    private let shrink: RowShrink
    private let target: UnsafeMutableRawPointer
    private let targetStride: Int
    /// The sums of a row of boxes, which need twice the bytes of a sample.
    private let sums: Scratch
    private var boxes: [Int: Box] = [:]
    private var finished: [Bool]
    private var unused: [UnsafeMutablePointer<UInt8>] = []
    private var bytes: Int

    init(
        _ shrink: RowShrink, _ target: UnsafeMutableRawPointer, _ targetStride: Int, beside others: Int
    ) throws(ImageCodecError) {
        (self.shrink, self.target, self.targetStride) = (shrink, target, targetStride)
        finished = [Bool](repeating: false, count: shrink.plan.size.height)
        bytes = others
        sums = try Scratch(byteCount: shrink.full.width * shrink.format.bytesPerPixel * 2)
    }

    deinit {
        for rows in unused + boxes.values.map(\.rows) { rows.deallocate() }
    }

    var isComplete: Bool { !finished.contains(false) }

    private var rowBytes: Int { shrink.full.width * shrink.format.bytesPerPixel }

    private func height(_ index: Int) -> Int {
        min(shrink.plan.boxHeight, shrink.full.height - index * shrink.plan.boxHeight)
    }

    func put(_ count: Int, x: Int, y: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
        let (index, row) = y.quotientAndRemainder(dividingBy: shrink.plan.boxHeight)
        guard failure == nil, !finished[index], var box = boxes[index] ?? newBox(index) else { return }
        write(box.rows + row * rowBytes + x * shrink.format.bytesPerPixel)
        box.missing -= count
        boxes[index] = box
        if box.missing <= 0 { finish(index, box.rows) }
    }

    private func newBox(_ index: Int) -> Box? {
        let missing = shrink.full.width * height(index)
        if let rows = unused.popLast() { return Box(rows: rows, missing: missing) }
        let length = rowBytes * shrink.plan.boxHeight
        guard bytes <= ImageLimits.maximumFrameBytes - length else {
            failure = .tooMuchMemory
            return nil
        }
        bytes += length
        let rows = UnsafeMutablePointer<UInt8>.allocate(capacity: length)
        // A faulty codec must not show old memory.
        rows.initialize(repeating: 0, count: length)
        return Box(rows: rows, missing: missing)
    }

    private func finish(_ index: Int, _ rows: UnsafeMutablePointer<UInt8>) {
        if shrink.format.alpha == .straight {
            shrink.premultiply(rows, count: shrink.full.width * height(index))
        }
        shrink.average(rows, rows: height(index), sums, target + index * targetStride)
        finished[index] = true
        boxes[index] = nil
        unused.append(rows)
    }
}
