import CAVIF
import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// libavif's decoder of a file whose structure has been read and checked against limits.
///
/// After a frame was decoded, it holds planes at full size. A step backwards decodes from the nearest key
/// frame. Not for concurrent use.
final class AVIFFrames: SequentialFrameDecoder {
    let info: AVIFInfo
    let avif: kf_avif_functions
    let limits: ImageLimits
    /// The file, because libavif does not copy its bytes; nil for bytes of another owner.
    private let file: EncodedFile?
    private let decoder: UnsafeMutablePointer<avifDecoder>
    /// Smaller images take less time than the start of a thread is worth.
    private static let minimumParallelPixels = 1 << 20

    /// Throws a limit's error before pixels take memory.
    convenience init(_ file: EncodedFile, readsMetadata: Bool = false) throws(ImageCodecError) {
        let reader = file.reader
        guard ISOFile.isAVIF(reader) else { throw .corrupt("no AVIF signature") }
        let avif = try AVIFLibrary.functions
        guard let decoder = avif.avifDecoderCreate() else { throw .outOfMemory }
        Self.configure(decoder, file.limits)
        if readsMetadata {
            decoder.pointee.ignoreExif = AVIF_FALSE
            decoder.pointee.ignoreXMP = AVIF_FALSE
        }
        var result = avif.avifDecoderSetIOMemory(
            decoder, reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count)
        if result == AVIF_RESULT_OK { result = avif.avifDecoderParse(decoder) }
        try self.init(adopting: decoder, of: avif, after: result, of: reader, in: file)
    }

    /// Takes a decoder whose file was parsed with `result`, also if this throws.
    init(
        adopting decoder: UnsafeMutablePointer<avifDecoder>, of avif: kf_avif_functions,
        after result: avifResult, of reader: ByteReader, in file: EncodedFile? = nil
    ) throws(ImageCodecError) {
        do throws(ImageCodecError) {
            guard result == AVIF_RESULT_OK, let image = decoder.pointee.image else {
                throw Self.failure(result, of: reader)
            }
            info = try AVIFInfo(decoder, image, by: avif, of: reader)
        } catch {
            avif.avifDecoderDestroy(decoder)
            throw error
        }
        (self.avif, self.decoder, self.file, limits) = (avif, decoder, file, reader.limits)
        // The bitstream must not be larger than what the container declares.
        let declared = max(info.crop.stored.area, ISOFile.largestItem(in: reader)?.area ?? 0)
        decoder.pointee.imageSizeLimit = UInt32(clamping: min(declared, limits.avifPixels))
    }

    deinit { avif.avifDecoderDestroy(decoder) }

    static func configure(_ decoder: UnsafeMutablePointer<avifDecoder>, _ limits: ImageLimits) {
        decoder.pointee.maxThreads = 1
        decoder.pointee.ignoreExif = AVIF_TRUE
        decoder.pointee.ignoreXMP = AVIF_TRUE
        // Files of old writers lack `pixi`, or `ispe` of the alpha; an invalid `clap` is ignored, as in
        // browsers.
        decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
        decoder.pointee.imageSizeLimit = UInt32(clamping: limits.avifPixels)
        decoder.pointee.imageDimensionLimit = 1 << 16
        decoder.pointee.imageCountLimit = UInt32(clamping: max(1, limits.maximumFrames))
    }

    /// EXIF and XMP if they were read, and what decoding uses of profile and `nclx`.
    var metadataBlocks: ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        guard let image = decoder.pointee.image?.pointee else { return blocks }
        func keep(_ block: avifRWData, as field: WritableKeyPath<ImageMetadataBlocks, Data?>) {
            let bytes = UnsafeRawBufferPointer(start: block.data, count: block.size)
            blocks.keep(ByteReader(bytes), as: field)
        }
        keep(image.exif, as: \.exif)
        keep(image.xmp, as: \.xmp)
        blocks.channels = (info.isGrayscale ? 1 : 3) + (info.header.hasAlpha ? 1 : 0)
        if image.icc.size > 0 {
            keep(image.icc, as: \.profile)
        } else if AVIFColors.encoding(of: image) != nil {
            blocks.codePoints = ImageMetadata.CodePoints(
                primaries: Int(image.colorPrimaries), transfer: Int(image.transferCharacteristics),
                matrix: Int(image.matrixCoefficients), isFullRange: image.yuvRange == AVIF_RANGE_FULL)
        }
        return blocks
    }

    /// The pixels of a still, with a second thread if a core is idle.
    func decodeStill(shrunkTo target: PixelSize) throws(ImageCodecError) -> PixelBuffer {
        let isLarge = info.crop.stored.area >= Self.minimumParallelPixels
        let cores = IdleCoreReservation(cores: isLarge ? IdleCoreReservation.allowedCores : 1)
        defer { withExtendedLifetime(cores) {} }
        let threads = cores.hasHelper ? 2 : 1
        if let file, let image = decoder.pointee.image,
            let frame = AVIFUnfilteredFrame(of: file.reader, info, shrunkTo: target),
            let pixels = try frame.decode(
                for: image, threads: threads,
                { () throws(ImageCodecError) in try currentFrame().pixels(shrunkTo: target).finished() })
        {
            return pixels
        }
        decoder.pointee.maxThreads = Int32(threads)
        return try decode(frame: 0, shrunkTo: target)
    }

    func decode(frame index: Int, shrunkTo target: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        let result = avif.avifDecoderNthImage(decoder, UInt32(index))
        guard result == AVIF_RESULT_OK else { throw Self.failure(result, of: nil) }
        return try currentFrame().pixels(shrunkTo: target ?? info.header.displaySize).finished()
    }

    /// The layers of a still, decoded one by one (`a1lx`, `lsel`); 1 without layers.
    var layerCount: Int { info.header.timing == nil ? Int(decoder.pointee.imageCount) : 1 }

    /// Decodes the next layer; false if its bytes have not arrived.
    func decodeNextLayer() throws(ImageCodecError) -> Bool {
        switch avif.avifDecoderNextImage(decoder) {
        case AVIF_RESULT_OK: return true
        case AVIF_RESULT_WAITING_ON_IO, AVIF_RESULT_TRUNCATED_DATA: return false
        case let result: throw Self.failure(result, of: nil)
        }
    }

    /// The frame that was decoded last; valid until the next one is decoded.
    func currentFrame() throws(ImageCodecError) -> AVIFFrame {
        guard let image = decoder.pointee.image else { throw .emptyImage }
        let depth = Int(image.pointee.depth)
        guard image.pointee.yuvPlanes.0 != nil, depth == info.header.bitsPerComponent else {
            throw .corrupt("another depth than declared")
        }
        // Offsets of a crop of the declared size would be outside of smaller planes.
        guard AVIFCrop(image) == info.crop else { throw .corrupt("another size than declared") }
        return AVIFFrame(image: image, frames: self)
    }

    /// The error for a result; looks at the bytes for reasons that libavif does not distinguish.
    static func failure(_ result: avifResult, of reader: ByteReader?) -> ImageCodecError {
        if let reader {
            if ISOBox.isTruncated(reader) { return .truncated }
            if let size = ISOFile.largestItem(in: reader),
                size.isEmpty || size.area > reader.limits.avifPixels
            {
                return .tooLarge(width: size.width, height: size.height)
            }
            if ISOFile.sampleCount(in: reader) > reader.limits.maximumFrames { return .tooManyFrames }
        }
        return switch result {
        case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_WAITING_ON_IO: .truncated
        // After a successful parse, libavif 1.2 says this of samples that begin after the end of the file.
        case AVIF_RESULT_BMFF_PARSE_FAILED where reader == nil: .truncated
        case AVIF_RESULT_OUT_OF_MEMORY: .outOfMemory
        case AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_UNSUPPORTED_DEPTH, AVIF_RESULT_NO_CODEC_AVAILABLE:
            .unsupported("libavif: \(AVIFLibrary.text(of: result))")
        default: .corrupt("libavif: \(AVIFLibrary.text(of: result))")
        }
    }
}

extension ImageLimits {
    /// libavif accepts no larger limit than its default (`AVIF_DEFAULT_IMAGE_SIZE_LIMIT`).
    fileprivate var avifPixels: Int { max(1, min(maximumPixels, 16_384 * 16_384)) }
}
