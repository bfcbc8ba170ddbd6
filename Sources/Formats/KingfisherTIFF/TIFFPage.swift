import CTIFF
import KingfisherCodecSupport
import KingfisherTIFFStructure

/// A page of a file by its directory: size and kind of samples.
struct TIFFPage {
    /// What the samples of a pixel mean.
    enum Kind: Equatable {
        case gray
        case rgb
        case palette
        case inks
        /// Other kinds, which libtiff converts to 8 bits: YCbCr, CIE L*a*b*, LogLuv, samples of odd widths.
        case converted
    }

    enum Alpha {
        case none, associated, unassociated
    }

    let directory: TIFFStructure.Directory
    let size: PixelSize
    let kind: Kind
    let alpha: Alpha
    let bits: Int
    let samples: Int
    let sampleKind: kf_tiff_kind
    let isInverted: Bool
    let isPlanar: Bool
    /// The size of a tile; nil for strips.
    let tile: PixelSize?
    let rowsPerStrip: Int
    let isJPEG: Bool
    let isCompressed: Bool
    let orientation: Image.Orientation
    let isLossless: Bool
    let isTruncated: Bool

    private static let jpegCompressions = [6, 7, 34_887, 50_001]

    init(_ file: TIFFStructure, page number: Int) throws(ImageCodecError) {
        let directory = try file.page(number)
        self.directory = directory
        func value(_ tag: TIFFStructure.Tag, _ other: Int) -> Int {
            file.integer(tag, of: directory) ?? other
        }
        size = PixelSize(width: value(.width, 0), height: value(.height, 0))
        try file.reader.limits.check(size)
        let (samples, bits) = (value(.samplesPerPixel, 1), value(.bitsPerSample, 1))
        (self.samples, self.bits) = (samples, bits)
        let format = value(.sampleFormat, 1)
        let compression = value(.compression, 1)
        let photometric = value(.photometric, 1)
        isInverted = photometric == 0
        isPlanar = value(.planarConfiguration, 1) == 2 && samples > 1
        (isJPEG, isCompressed) = (compression == 7, compression != 1)
        isLossless = !Self.jpegCompressions.contains(compression)
        orientation = Image.Orientation(exif: value(.orientation, 1)) ?? .up
        sampleKind = format == 3 ? kf_tiff_float : format == 2 ? kf_tiff_signed : kf_tiff_unsigned
        let tile = PixelSize(width: value(.tileWidth, 0), height: value(.tileHeight, 0))
        self.tile = tile.isEmpty ? nil : tile
        if !tile.isEmpty { try file.reader.limits.check(tile) }
        let rows = value(.rowsPerStrip, size.height)
        rowsPerStrip = rows > 0 ? min(rows, size.height) : size.height
        isTruncated = file.isTruncated(directory, isTiled: !tile.isEmpty)
        guard (1...64).contains(samples) else { throw .unsupported("\(samples) samples a pixel") }
        guard (1...64).contains(bits) else { throw .unsupported("\(bits) bits a sample") }
        let equal = (0..<samples).allSatisfy {
            (file.integer(.bitsPerSample, at: $0, of: directory) ?? bits) == bits
        }
        let interpretation = Interpretation(
            photometric: photometric, bits: bits, samples: samples, format: format, isPlanar: isPlanar,
            isJPEG: isJPEG, isCMYK: value(.inkSet, 1) == 1)
        let kind = equal && compression != 6 ? interpretation.kind : .converted
        self.kind = kind
        let extra = file.integer(.extraSamples, of: directory)
        let colors = kind == .inks ? 4 : photometric == 2 || photometric == 6 ? 3 : 1
        let hasExtra = samples > colors && kind != .inks
        alpha = hasExtra && extra == 1 ? .associated : hasExtra && extra == 2 ? .unassociated : .none
    }

    private struct Interpretation {
        let photometric: Int
        let bits: Int
        let samples: Int
        let format: Int
        let isPlanar: Bool
        let isJPEG: Bool
        let isCMYK: Bool

        private var hasKnownSamples: Bool {
            switch format {
            case 1, 4: [1, 2, 4, 8, 16, 32].contains(bits)
            case 2: [8, 16, 32].contains(bits)
            case 3: [16, 32, 64].contains(bits)
            default: false
            }
        }

        var kind: Kind {
            guard hasKnownSamples else { return .converted }
            switch photometric {
            case 0, 1: return .gray
            case 2 where samples >= 3: return .rgb
            // libjpeg converts interleaved samples to RGB.
            case 6 where isJPEG && !isPlanar && samples == 3 && bits == 8: return .rgb
            case 3 where bits <= 8 && format == 1: return .palette
            case 5 where samples >= 4 && isCMYK: return .inks
            default: return .converted
            }
        }
    }

    var isDeep: Bool { bits > 8 && (kind == .gray || kind == .rgb) }

    /// The format of the decoded pixels; inks are in the place of RGBA until their profile applies.
    var format: PixelFormat {
        let depth: PixelFormat.Depth = isDeep ? .sixteen : .eight
        let alpha: PixelFormat.Alpha =
            switch self.alpha {
            case .none: .opaque
            case .associated: .premultiplied
            // libtiff multiplies in its conversion.
            case .unassociated: kind == .converted ? .premultiplied : .straight
            }
        guard kind == .gray else {
            let isOpaque = kind == .palette || kind == .inks
            return PixelFormat(layout: .rgba, depth: depth, alpha: isOpaque ? .opaque : alpha)
        }
        return PixelFormat(layout: alpha == .opaque ? .gray : .grayAlpha, depth: depth, alpha: alpha)
    }

    /// Bytes of a row of one plane, `width` pixels wide.
    func rowBytes(_ width: Int) -> Int {
        let (bits, overflow) = width.multipliedReportingOverflow(by: self.bits * (isPlanar ? 1 : samples))
        return overflow || bits > .max - 7 ? .max / 64 : (bits + 7) / 8
    }

    /// Whole tiles with these pixels of a row; all of the row if there are no tiles.
    func columns(of wanted: Range<Int>) -> Range<Int> {
        guard let tile else { return 0..<size.width }
        let end = (wanted.upperBound + tile.width - 1) / tile.width * tile.width
        return wanted.lowerBound / tile.width * tile.width..<min(end, size.width)
    }

    /// The planes that are read, at most colours and alpha.
    var planes: Int { isPlanar ? min(samples, 5) : 1 }

    /// The bytes of the rows or tiles that are in memory, and of libtiff's for one compressed piece.
    var workingMemory: Int {
        if kind == .converted {
            let piece = tile ?? PixelSize(width: size.width, height: rowsPerStrip)
            // RGBA, and as many samples before their conversion.
            return saturated(piece.area, 4 + max(1, samples * bits / 8))
        }
        guard let tile else { return saturated(rowBytes(size.width), 4 * planes) }
        let across = (size.width + tile.width - 1) / tile.width
        return saturated(saturated(rowBytes(tile.width), tile.height), (across + 1) * planes)
    }

    private func saturated(_ a: Int, _ b: Int) -> Int {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        return overflow ? .max / 4 : min(product, .max / 4)
    }

    /// The bytes of a tile, or of a strip, which libtiff divides if it is not compressed.
    var pieceBytes: Int {
        let piece = tile ?? PixelSize(width: size.width, height: isCompressed ? rowsPerStrip : 1)
        return saturated(saturated(rowBytes(piece.width), piece.height), isPlanar ? planes : 1)
    }

    /// The rows and the result, which is held twice while it is turned.
    func decodingMemory(minimumSize: PixelSize?) -> Int {
        let stored = orientation.swapsSides ? minimumSize?.swapped : minimumSize
        let rows = PixelBuffer.memoryOfRows(size, format: format, minimumSize: stored)
        let (bytes, overflow) = saturated(rows, orientation == .up ? 1 : 2)
            .addingReportingOverflow(workingMemory)
        return overflow ? .max : bytes
    }
}
