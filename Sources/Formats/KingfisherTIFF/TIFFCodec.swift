import CTIFF
public import Foundation
public import KingfisherCodecSupport
import KingfisherTIFFStructure

/// TIFF and BigTIFF with libtiff (TIFF 6.0), reading only.
///
/// Decodes one page. Greyscale, RGB, palettes, bilevel images and CMYK, in strips or tiles, interleaved or in
/// planes, are read by rows: integers of 1 to 32 bits and floating point of 16 to 64 bits, of which 0...1
/// counts. Samples of more than 8 bits of greyscale and RGB become 16. Other kinds (YCbCr, CIE L*a*b*,
/// LogLuv, JPEG of TIFF 5) become 8 bits by libtiff. Supports the compressions that libtiff supports. A first
/// extra sample that is alpha, associated or not, is kept; others are ignored. The orientation is applied. An
/// ICC profile becomes sRGB; CMYK without one is multiplied.
///
/// If a smaller image is enough, rows are averaged while they are decoded. Detection and headers are read in
/// Swift; libtiff is loaded by the first decode or by ``preload()``. Decoding works on the caller's thread,
/// starts none and opens no file.
public struct TIFFCodec: ImageCodec, RegionCodec {
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

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try TIFFDecoder(file, page: page)
    }

    package func regions(of file: EncodedFile) throws(ImageCodecError) -> (any ImageRegions)? {
        try TIFFDecoder(file, page: page).regions
    }
}
