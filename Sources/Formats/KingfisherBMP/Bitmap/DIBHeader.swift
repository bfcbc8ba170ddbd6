import KingfisherCodecSupport

/// The header of a bitmap, as in BMP files and in icons ([MS-WMF] 2.2.2.3 to 2.2.2.5 for BITMAPCOREHEADER to
/// BITMAPV5HEADER).
///
/// The header's size selects its version: 12 core, 16 and 64 OS/2 2.x, 40 INFO, 52 and 56 with masks, 108 V4,
/// 124 V5. All but the first have the fields of INFO in the same places, as far as they go.
struct DIBHeader {
    enum Coding: Hashable {
        case rows
        case rle4
        case rle8
    }

    /// The pixels; for an icon without the rows of its mask.
    let size: PixelSize
    let isTopDown: Bool
    let bitCount: Int
    let coding: Coding
    /// Where red, green, blue and alpha are in a pixel; nil for palettes.
    let fields: PixelFields?
    let palette: DIBPalette.Place
    /// The offset of the first row or code from the start of the reader.
    let pixels: Int
    let colorSpace: DIBColorSpace

    static let coreBytes = 12
    static let infoBytes = 40
    static let version5Bytes = 124
    private static let knownBytes = [12, 16, 40, 52, 56, 64, 108, 124]

    /// Whether a header may have `bytes` bytes.
    static func isKnown(bytes: Int) -> Bool { knownBytes.contains(bytes) }

    /// Reads the header at `start`. `pixels` is the offset that the file header declares: nil in an icon,
    /// whose height includes the mask; 0 if the file leaves it out.
    init(_ reader: ByteReader, at start: Int, pixels declared: Int?) throws(ImageCodecError) {
        guard let bytes = reader.uint32(at: start, bigEndian: false) else { throw .truncated }
        guard Self.isKnown(bytes: bytes) else { throw .unsupported("a BMP header of \(bytes) bytes") }
        guard let header = reader.slice(at: start, count: bytes) else { throw .truncated }
        let isCore = bytes == Self.coreBytes
        let (stored, depth) = Self.sizeAndDepth(header, isCore: isCore)
        let isIcon = declared == nil
        isTopDown = stored.height < 0
        size = PixelSize(width: stored.width, height: stored.height.magnitude(dividedBy: isIcon ? 2 : 1))
        try reader.limits.check(size)
        let compression = header.uint32(at: 16, bigEndian: false) ?? 0
        // BI_JPEG and BI_PNG have 0 bits a pixel.
        if bytes != 64, compression == 4 || compression == 5 {
            throw .unsupported("a \(compression == 4 ? "JPEG" : "PNG") within a BMP")
        }
        guard [1, 2, 4, 8, 16, 24, 32].contains(depth) else { throw .corrupt("\(depth) bits a pixel") }
        bitCount = depth
        coding = try Self.coding(compression, depth, isOS2: bytes == 64)
        guard coding == .rows || !(isTopDown || isIcon) else {
            throw .corrupt("run lengths in a bitmap that is an icon or begins at its top")
        }
        let masks = PixelFields.Masks(compression: compression, headerBytes: bytes)
        fields = try PixelFields(depth: depth, masks, of: reader, at: start + Self.infoBytes)
        let end = start + bytes + masks.bytesAfterHeader
        let place = declared ?? 0
        palette = DIBPalette.Place(
            depth: depth, declared: header.uint32(at: 32, bigEndian: false) ?? 0, at: end,
            entryBytes: isCore ? 3 : 4, upTo: place)
        guard place == 0 || place >= end else { throw .corrupt("pixels within the header") }
        // Some writers declare the end of the header although a palette is there.
        pixels = place > end ? place : palette.end
        colorSpace = DIBColorSpace(header, at: start)
    }

    /// Bytes from a row to the next, a multiple of four. The sides are within the limits, so that nothing
    /// overflows.
    var stride: Int { (size.width * bitCount + 31) / 32 * 4 }
    /// Bytes of a row without padding.
    var rowBytes: Int { (size.width * bitCount + 7) / 8 }

    /// The number of a row in the file, of one that is counted from the top.
    func storedRow(_ y: Int) -> Int { isTopDown ? y : size.height - 1 - y }

    /// The bytes of a row, counted from the top; nil if the file ends before them.
    func row(_ y: Int, in reader: ByteReader) -> UnsafeRawPointer? {
        reader.slice(at: pixels + storedRow(y) * stride, count: rowBytes)?.bytes.baseAddress
    }

    private static func sizeAndDepth(
        _ header: ByteReader, isCore: Bool
    ) -> (size: PixelSize, depth: Int) {
        if isCore {
            func field(_ offset: Int) -> Int { header.uint16(at: offset, bigEndian: false) ?? 0 }
            return (PixelSize(width: field(4), height: field(6)), field(10))
        }
        func field(_ offset: Int) -> Int {
            Int(Int32(truncatingIfNeeded: header.uint32(at: offset, bigEndian: false) ?? 0))
        }
        let depth = header.uint16(at: 14, bigEndian: false) ?? 0
        return (PixelSize(width: field(4), height: field(8)), depth)
    }

    private static func coding(
        _ compression: Int, _ depth: Int, isOS2: Bool
    ) throws(ImageCodecError) -> Coding {
        switch (compression, depth) {
        case (0, _): return .rows
        case (1, 8): return .rle8
        case (2, 4): return .rle4
        case (3, 16), (3, 32), (6, 16), (6, 32):
            guard !isOS2 else { throw .corrupt("compression \(compression) of \(depth) bits") }
            return .rows
        case (3, 1) where isOS2: throw .unsupported("a bitmap with Huffman codes")
        case (4, 24) where isOS2: throw .unsupported("a bitmap with run lengths of 24 bits")
        default: throw .corrupt("compression \(compression) of \(depth) bits")
        }
    }
}

extension Int {
    /// The absolute value, divided: cannot overflow for a number of 32 bits.
    fileprivate func magnitude(dividedBy divisor: Int) -> Int { abs(self) / divisor }
}
