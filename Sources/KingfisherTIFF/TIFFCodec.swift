import CTIFF
public import Foundation
public import KingfisherCodecSupport

/// TIFF and BigTIFF with libtiff (TIFF 6.0), reading only.
///
/// Decodes one page. Greyscale, RGB, palettes, bilevel images and CMYK, in strips or tiles, interleaved or in
/// planes, are read by rows: integers of 1 to 32 bits and floating point of 16 to 64 bits, of which 0...1
/// counts. Samples of more than 8 bits of greyscale and RGB become 16. Other kinds (YCbCr, CIE L*a*b*,
/// LogLuv, JPEG of TIFF 5) become 8 bits by libtiff. The compressions are those of the library. A first
/// extra sample that is alpha, associated or not, is kept; others are ignored. The orientation is applied. An
/// ICC profile becomes sRGB; CMYK without one is multiplied.
///
/// If a smaller image is enough, rows are averaged while they are decoded. Detection and headers are read in
/// Swift; libtiff is loaded by the first decode or by ``preload()``. Decoding works on the caller's thread,
/// starts none and opens no file.
public struct TIFFCodec: ImageCodec, DeferredColorCodec {
    /// The page that is decoded, from 0 on.
    ///
    /// Pages are the directories of the file. If the first is a reduced version of another, page 0 is the
    /// first one that is not.
    public let page: Int

    /// Creates the codec for `ImageCodecs.register(.tiff)`, or for another page:
    ///
    ///     let second = try Image.decode(data, using: TIFFCodec(page: 1))
    public init(page: Int = 0) {
        self.page = page
    }

    /// The number of pages of a file, which are its directories; 0 for one that is not TIFF.
    ///
    /// Some files have smaller versions of a page among them.
    public static func pageCount(of data: Data) -> Int {
        (try? data.reading { reader throws(ImageCodecError) in try TIFFStructure(reader).pageCount }) ?? 0
    }

    /// Loads the library, so that later calls open no file; for a process that is about to be confined.
    ///
    /// Throws `unsupported` with the name of the package if it is missing.
    public static func preload() throws(ImageCodecError) {
        try TIFFLibrary.load()
    }

    public var format: ImageFormat { .tiff }

    public var fileExtensions: [String] { ["tiff", "tif"] }

    public var capabilities: CodecCapabilities { [.decodesSmall, .decodes16Bits, .readsMetadata] }

    /// Loads libtiff.
    public var version: String {
        guard let text = kf_tiff()?.pointee.TIFFGetVersion() else { return "libtiff is missing" }
        let words = String(cString: text).split(whereSeparator: \.isWhitespace)
        return "libtiff \(words.first { $0.first?.isNumber == true } ?? "")"
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        TIFFStructure.matches(ByteReader(bytes))
    }

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try data.reading { reader throws(ImageCodecError) in
            let page = try TIFFPage(TIFFStructure(reader), page: self.page)
            try ImageLimits.check(page.size, format: page.format)
            var header = ImageHeader(size: page.size)
            header.orientation = page.orientation
            header.hasAlpha = !page.format.isOpaque
            header.bitsPerComponent = page.kind == .palette ? 8 : page.isDeep ? page.bits : min(page.bits, 8)
            header.isLossless = page.isLossless
            return header
        }
    }

    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try data.reading { reader throws(ImageCodecError) in
            let page = try TIFFPage(TIFFStructure(reader), page: page)
            let bytes = page.decodingMemory(minimumSize: target?.doubled)
            // Resampling makes a second image, which is at most as large; so does turning, which is included.
            let (twice, overflow) = bytes.multipliedReportingOverflow(by: page.orientation == .up ? 2 : 1)
            return overflow ? .max : twice
        }
    }

    public func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let file = try TIFFStructure(reader)
            let page = try TIFFPage(file, page: page)
            if page.isTruncated { throw .truncated }
            let minimum = page.orientation.swapsSides ? minimumSize?.swapped : minimumSize
            try ImageLimits.check(frameBytes: page.decodingMemory(minimumSize: minimumSize), beside: 0)
            let colors = try Self.colors(of: page, in: file)
            let rows = try TIFFReader(file, page, mixesInks: colors == nil)
            let pixels = try PixelBuffer.decodingRows(
                page.size, format: page.format, minimumSize: minimum, beside: page.workingMemory
            ) { wanted, target, bytesPerRow throws(ImageCodecError) in
                for y in wanted { try rows.read(y, into: target + (y - wanted.lowerBound) * bytesPerRow) }
            }
            return try DecodedPixels(pixels, colors: colors).upright(from: page.orientation)
        }
    }

    private static func colors(
        of page: TIFFPage, in file: TIFFStructure
    ) throws(ImageCodecError) -> ICCTransform? {
        guard let profile = file.bytes(.profile, of: page.directory) else { return nil }
        try ImageLimits.check(metadataBytes: profile.count)
        // libtiff's conversion gives RGB, whose profile does not fit.
        guard page.kind != .converted else { return nil }
        return ICCTransform.toSRGB(from: profile, of: page.kind == .inks ? .inks : ICCSamples(page.format))
    }
}
