import KingfisherCodecSupport

/// The header of a PNM file (Netpbm: pbm(5), pgm(5), ppm(5), pam(5)).
struct PNMHeader {
    enum Raster: Hashable {
        /// Decimal numbers; of `bits`, the digits 0 and 1 without need of white space.
        case text(isBits: Bool)
        /// One bit a pixel, rows padded to bytes.
        case bits
        /// Samples of one byte, or of two from a maximum of 256 on, the higher one first.
        case samples
    }

    let size: PixelSize
    /// Samples of a pixel in the file: 1, 2, 3 or 4.
    let channels: Int
    let hasAlpha: Bool
    /// The sample of white, 1...65535.
    let maximum: Int
    let raster: Raster
    /// The offset of the first byte after the header.
    let start: Int

    static let largestMaximum = 65_535

    var bytesPerSample: Int { maximum > 255 ? 2 : 1 }

    /// The format of the decoded image: 8 bits up to a maximum of 255, else 16.
    var format: PixelFormat {
        let layout: PixelFormat.Layout = channels > 2 ? .rgba : channels == 2 ? .grayAlpha : .gray
        return PixelFormat(
            layout: layout, depth: maximum > 255 ? .sixteen : .eight, alpha: hasAlpha ? .straight : .opaque)
    }

    /// Bytes of a row; of text the fewest possible. The size is within the limits, so that nothing overflows.
    var rowBytes: Int {
        switch raster {
        case .bits: (size.width + 7) / 8
        case .samples: size.width * channels * bytesPerSample
        // A digit each, and white space between numbers.
        case .text(let isBits): size.width * (isBits ? 1 : 2 * channels)
        }
    }

    init(_ reader: ByteReader) throws(ImageCodecError) {
        guard reader.count >= 2 else { throw .truncated }
        guard let kind = Self.kind(reader) else { throw .corrupt("no PNM signature") }
        if kind == 7 {
            try self.init(pam: reader)
        } else {
            try self.init(reader, kind: kind)
        }
        try reader.limits.check(size)
        try reader.limits.check(metadataBytes: start)
    }

    private init(_ reader: ByteReader, kind: Int) throws(ImageCodecError) {
        var numbers = PNMNumbers(reader, at: 2)
        size = PixelSize(
            width: try numbers.next(mayBeLast: false), height: try numbers.next(mayBeLast: false))
        maximum = [1, 4].contains(kind) ? 1 : try numbers.next(mayBeLast: false)
        guard (1...Self.largestMaximum).contains(maximum) else { throw .corrupt("a maximum of \(maximum)") }
        channels = [3, 6].contains(kind) ? 3 : 1
        hasAlpha = false
        raster = kind == 4 ? .bits : kind > 4 ? .samples : .text(isBits: kind == 1)
        start = numbers.offset
    }

    private init(pam reader: ByteReader) throws(ImageCodecError) {
        let fields = try PAMFields(reader)
        size = PixelSize(width: fields.width, height: fields.height)
        maximum = fields.maximum
        guard (1...Self.largestMaximum).contains(maximum) else { throw .corrupt("a maximum of \(maximum)") }
        (channels, hasAlpha) = try fields.channels
        raster = .samples
        start = fields.end
    }

    /// The digit of the signature, as far as the bytes go: a digit, a comment or white space follows `P1` to
    /// `P6`, a line break `P7`.
    static func kind(_ reader: ByteReader) -> Int? {
        guard reader.has("P", at: 0), let digit = reader.uint8(at: 1), (0x31...0x37).contains(digit) else {
            return nil
        }
        var offset = 2
        while let byte = reader.uint8(at: offset) {
            if digit == 0x37 { return byte == 0x0A ? 7 : nil }
            if byte == PNMNumbers.comment { break }
            if !PNMNumbers.isSpace(byte) {
                guard offset > 2, PNMNumbers.isDigit(byte) else { return nil }
                break
            }
            offset += 1
        }
        return digit - 0x30
    }
}
