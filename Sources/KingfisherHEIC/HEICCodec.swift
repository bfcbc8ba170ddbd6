import CHEIF
public import Foundation
public import KingfisherCodecSupport
import KingfisherISOBoxes

/// HEIC with libheif and libde265 (container: ISO/IEC 23008-12; bitstream: HEVC, ITU-T H.265), reading only.
///
/// Decodes the primary image of a file, single or of tiles, with 8, 10 and 12 bits; the latter two become
/// 16-bit pixels. Of a sequence, that is its first image; a sequence without a still image is `unsupported`,
/// and so is an image or alpha in another coding than HEVC. Applies `clap`, `irot` and `imir` in the order of
/// the file, to alpha as well, and those of an image that is derived by them alone (`iden`) after those of
/// its source. Ignores the orientation in EXIF, as the format requires. Converts an ICC profile, or else the
/// `nclx` primaries and transfer, to sRGB. Pixels are `.rgba` in 8 or 16 bits, opaque, or with alpha as the
/// file has it.
///
/// A thumbnail within the file is decoded instead of the image if it covers the target, shows what the image
/// shows, turned alike, and has its depth. For other small targets, opaque images are shrunk while they are
/// decoded; of tiles, one is in memory at a time. Where the target is less than a quarter of the image along
/// each side, blocks are not filtered.
///
/// Detection, headers and metadata are read in Swift; libraries are loaded by the first decode or by
/// ``preload()``. Decoding works on the caller's thread, starts none and opens no file.
public struct HEICCodec: ImageCodec, DeferredColorCodec {
    /// Creates the codec for `ImageCodecs.register(.heic)`.
    public init() {}

    public var format: ImageFormat { .heic }

    public var fileExtensions: [String] { ["heic", "heif", "hif"] }

    public var capabilities: CodecCapabilities { [.decodesSmall, .decodes16Bits, .readsMetadata] }

    /// Loads libheif and libde265.
    public var version: String {
        guard let heif = kf_heif()?.pointee, let de265 = kf_de265()?.pointee else {
            return "libheif is missing"
        }
        func text(_ version: UnsafePointer<CChar>?) -> String { version.map { String(cString: $0) } ?? "" }
        return "libheif \(text(heif.heif_get_version())), libde265 \(text(de265.de265_get_version()))"
    }

    /// Loads the libraries, so that later calls open no file; for a process that is about to be confined.
    ///
    /// Throws `unsupported` with the name of the package if one is missing.
    public static func preload() throws(ImageCodecError) {
        _ = try HEICLibrary.functions
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        HEICFile.matches(ByteReader(bytes))
    }

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try data.reading { reader throws(ImageCodecError) in
            let file = try HEICFile(reader)
            let image = try Self.primary(of: file, in: reader)
            try ImageLimits.check(image.stored, format: image.format)
            var header = ImageHeader(size: image.size)
            header.orientation = image.area.orientation
            header.hasAlpha = image.hasAlpha
            header.bitsPerComponent = image.bitsPerComponent
            return header
        }
    }

    private static func primary(
        of file: HEICFile, in reader: ByteReader
    ) throws(ImageCodecError) -> HEICImage {
        let image = try HEICImage(file.primary, of: file)
        if ISOBox.isTruncated(reader) { throw .truncated }
        return image
    }

    /// EXIF, XMP, and the ICC profile or else the `nclx` code points.
    public func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks {
        try data.reading { reader throws(ImageCodecError) in
            let file = try HEICFile(reader)
            return try file.metadataBlocks(of: Self.primary(of: file, in: reader))
        }
    }

    /// With `target`, only planes are held at full size, or those of a tile; otherwise the pixels are added.
    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try data.reading { reader throws(ImageCodecError) in
            let file = try HEICFile(reader)
            let image = try Self.primary(of: file, in: reader)
            let used = target.flatMap { Self.thumbnail(of: file, image, covering: $0) } ?? image
            return used.decodingMemory(target: target)
        }
    }

    public func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try decode(data) { shown in minimumSize.map { shown.shrunk(toCover: $0) } ?? shown }
    }

    public func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try decode(data) { _ in target }
    }

    private func decode(
        _ data: Data, to target: (_ shown: PixelSize) -> PixelSize
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let file = try HEICFile(reader)
            let image = try Self.primary(of: file, in: reader)
            try file.checkDerivation(of: image)
            let size = target(image.displaySize)
            let used = Self.thumbnail(of: file, image, covering: size) ?? image
            try ImageLimits.check(frameBytes: used.decodingMemory(target: size), beside: 0)
            try ImageLimits.check(used.source.largest)
            return try HEICDecoder(file, used, colors: file.colors(of: used.items + image.items))
                .decode(to: size)
        }
    }

    /// The most thumbnails of an image that are considered.
    private static let maximumThumbnails = 16

    /// The smallest thumbnail (`thmb`: ISO/IEC 23008-12, 6.4.5) of at least the target's size that shows what
    /// the image shows and can be decoded; nil if the image itself is needed.
    private static func thumbnail(
        of file: HEICFile, _ image: HEICImage, covering target: PixelSize
    ) -> HEICImage? {
        let whole = image.displaySize
        guard target.area < whole.area else { return nil }
        let thumbnails = image.items.flatMap { file.items("thmb", of: $0) }.prefix(maximumThumbnails)
        let candidates = thumbnails.compactMap { item -> HEICImage? in
            guard let small = try? HEICImage(item, of: file) else { return nil }
            let size = small.displaySize
            // Sides are rounded to whole pixels.
            let width = Double(size.height) * Double(whole.width) / Double(whole.height)
            let isCovering = size.width >= target.width && size.height >= target.height
            guard isCovering, abs(width - Double(size.width)) <= 1, size.area < whole.area,
                small.area.shows(sameAs: image.area), small.hasAlpha == image.hasAlpha,
                small.source.depth == image.source.depth, file.declaresFrames(of: small),
                (try? file.checkDerivation(of: small)) != nil
            else { return nil }
            return small
        }
        return candidates.min { $0.stored.area < $1.stored.area }
    }
}

extension PixelSize {
    /// The smallest size of the same aspect ratio that is at least `minimum` on each side; never larger.
    func shrunk(toCover minimum: PixelSize) -> PixelSize {
        let ratio = max(
            Double(minimum.width) / Double(width), Double(minimum.height) / Double(height))
        guard ratio > 0, ratio < 1 else { return self }
        return PixelSize(
            width: min(width, max(minimum.width, Int((Double(width) * ratio).rounded(.up)))),
            height: min(height, max(minimum.height, Int((Double(height) * ratio).rounded(.up)))))
    }
}
