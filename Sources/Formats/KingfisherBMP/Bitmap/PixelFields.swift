import KingfisherCodecSupport

/// The bits of red, green, blue and alpha in a pixel of 16, 24 or 32 bits.
struct PixelFields {
    /// Where the masks of a header are.
    struct Masks {
        /// 0 if the format has fixed fields.
        let count: Int
        /// Only the INFO header is followed by its masks; later versions contain them.
        let bytesAfterHeader: Int

        /// 3 is BI_BITFIELDS, 6 is BI_ALPHABITFIELDS (Windows CE).
        init(compression: Int, headerBytes: Int) {
            switch (compression, headerBytes) {
            case (3, 40): count = 3
            case (3, 52): count = 3
            case (3, 56...), (6, _): count = 4
            default: count = 0
            }
            bytesAfterHeader = headerBytes == DIBHeader.infoBytes ? count * 4 : 0
        }
    }

    /// One sample of a pixel, and its value for 8 bits.
    struct Field {
        let mask: UInt32
        private let shift: UInt32
        private let maximum: UInt32
        /// The samples of 8 bits by the stored ones; empty if there would be too many.
        private let levels: [UInt8]

        private static let mostLevels: UInt32 = 1 << 12

        /// Nil if the bits are not adjacent. A mask without bits is a field that is always 0.
        init?(_ mask: UInt32) {
            self.mask = mask
            shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
            let maximum = mask >> shift
            guard maximum & (maximum &+ 1) == 0 else { return nil }
            self.maximum = maximum
            levels = maximum < Self.mostLevels ? (0...maximum).map { Self.level($0, of: maximum) } : []
        }

        func sample(of pixel: UInt32) -> UInt8 {
            let value = (pixel & mask) &>> shift
            return levels.isEmpty ? Self.level(value, of: maximum) : levels[Int(value)]
        }

        /// The nearest level; halves are rounded up.
        private static func level(_ value: UInt32, of maximum: UInt32) -> UInt8 {
            guard maximum > 0 else { return 0 }
            let (value, maximum) = (UInt64(value), UInt64(maximum))
            return UInt8(truncatingIfNeeded: (value * 255 + maximum / 2) / maximum)
        }
    }

    let red: Field
    let green: Field
    let blue: Field
    /// Nil if all pixels are opaque.
    let alpha: Field?

    /// Nil for palettes. Without masks, pixels of 16 bits have 5 bits for each colour, and of 24 and 32 bits
    /// 8 bits; the other bits are unused.
    init?(depth: Int, _ masks: Masks, of reader: ByteReader, at start: Int) throws(ImageCodecError) {
        guard depth > 8 else { return nil }
        guard masks.count > 0 else {
            try self.init(depth == 16 ? [0x7C00, 0x03E0, 0x001F] : [0xFF_0000, 0xFF00, 0xFF], depth: depth)
            return
        }
        var values: [UInt32] = []
        for index in 0..<masks.count {
            guard let mask = reader.uint32(at: start + index * 4, bigEndian: false) else { throw .truncated }
            values.append(UInt32(mask))
        }
        try self.init(values, depth: depth)
    }

    /// An icon has alpha in the bits that a bitmap leaves unused.
    static func icon() throws(ImageCodecError) -> PixelFields {
        try PixelFields([0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000], depth: 32)
    }

    private init(_ masks: [UInt32], depth: Int) throws(ImageCodecError) {
        let fields = masks.compactMap(Field.init)
        let fits = masks.allSatisfy { depth == 32 || $0 >> UInt32(depth) == 0 }
        guard fields.count == masks.count, fields.count >= 3, fits else {
            throw .corrupt("masks that are no fields of a pixel")
        }
        (red, green, blue) = (fields[0], fields[1], fields[2])
        alpha = fields.count > 3 && masks[3] != 0 ? fields[3] : nil
    }

    /// Whether red, green and blue are the bytes of a pixel in reverse order, and alpha, if any, the fourth.
    var areBytes: Bool {
        red.mask == 0xFF_0000 && green.mask == 0xFF00 && blue.mask == 0xFF
            && (alpha?.mask ?? 0xFF00_0000) == 0xFF00_0000
    }
}
