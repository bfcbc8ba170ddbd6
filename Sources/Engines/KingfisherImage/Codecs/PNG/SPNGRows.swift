final class SPNGRows: RowsInOrder {
    private let decoder: SPNGDecoder
    private let rowLength: Int
    private let blank: [UInt8]?
    private var found = 0
    private(set) var isOver = false

    let rowsAtOnce: Int

    /// `decoder` must have begun with `file` and read no row yet.
    init(_ decoder: SPNGDecoder, _ file: PNGFileHeader, rowsAtOnce: Int, acceptsPart: Bool) {
        self.decoder = decoder
        self.rowsAtOnce = rowsAtOnce
        rowLength = file.size.width * file.pixelFormat.bytesPerPixel
        blank = acceptsPart ? file.pixelFormat.blankPixel : nil
    }

    func read(
        _ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int
    ) throws(ImageCodecError) -> Bool {
        for row in 0..<count {
            let place = target + row * stride
            if !isOver {
                isOver = try !decoder.readRow(into: place, rowLength, acceptsPart: blank != nil && found > 0)
                if !isOver { found += 1 }
            }
            if isOver, let blank {
                for offset in Swift.stride(from: 0, to: rowLength, by: blank.count) {
                    (place + offset).update(from: blank, count: blank.count)
                }
            }
        }
        return true
    }
}

extension PixelFormat {
    /// The bytes of a missing pixel: transparent, or black in an opaque image.
    var blankPixel: [UInt8] {
        let sample = depth.rawValue / 8
        let color = [UInt8](repeating: 0, count: bytesPerPixel)
        guard isOpaque, layout != .gray else { return color }
        return color.dropLast(sample) + [UInt8](repeating: .max, count: sample)
    }
}
