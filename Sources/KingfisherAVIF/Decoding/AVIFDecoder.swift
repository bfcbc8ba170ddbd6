import CAVIF
import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// libavif's decoder of a file whose structure has been read and checked against `ImageLimits`.
///
/// The bytes must outlive it, because libavif does not copy them. Not for concurrent use.
final class AVIFDecoder {
    let header: ImageHeader
    let crop: AVIFCrop
    let isGrayscale: Bool
    /// Twice the samples of a pixel, without alpha.
    private let halfSamples: Int
    private let decoder: UnsafeMutablePointer<avifDecoder>
    let avif: kf_avif_functions

    /// Throws a limit's error before pixels take memory.
    convenience init(
        _ bytes: UnsafeRawBufferPointer, readsMetadata: Bool = false
    ) throws(ImageCodecError) {
        let reader = ByteReader(bytes)
        guard ISOFile.isAVIF(reader) else { throw .corrupt("no AVIF signature") }
        let avif = try AVIFLibrary.functions
        guard let decoder = avif.avifDecoderCreate() else { throw .outOfMemory }
        Self.configure(decoder)
        if readsMetadata {
            decoder.pointee.ignoreExif = AVIF_FALSE
            decoder.pointee.ignoreXMP = AVIF_FALSE
        }
        var result = avif.avifDecoderSetIOMemory(
            decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        if result == AVIF_RESULT_OK { result = avif.avifDecoderParse(decoder) }
        try self.init(adopting: decoder, of: avif, after: result, of: reader)
    }

    /// Takes a decoder whose file was parsed with `result`, also if this throws.
    init(
        adopting decoder: UnsafeMutablePointer<avifDecoder>, of avif: kf_avif_functions,
        after result: avifResult, of reader: ByteReader
    ) throws(ImageCodecError) {
        do throws(ImageCodecError) {
            guard result == AVIF_RESULT_OK, let image = decoder.pointee.image else {
                throw Self.failure(result, of: reader)
            }
            crop = AVIFCrop(image)
            isGrayscale = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
            halfSamples =
                switch image.pointee.yuvFormat {
                case AVIF_PIXEL_FORMAT_YUV400: 2
                case AVIF_PIXEL_FORMAT_YUV420: 3
                case AVIF_PIXEL_FORMAT_YUV422: 4
                default: 6
                }
            header = try Self.header(decoder, avif, image, crop, reader)
            try ImageLimits.check(metadataBytes: image.pointee.icc.size)
            // The bitstream must not be larger than what the container declares.
            let declared = max(crop.stored.area, ISOFile.largestItem(in: reader)?.area ?? 0)
            decoder.pointee.imageSizeLimit = UInt32(clamping: min(declared, Self.maximumPixels))
        } catch {
            avif.avifDecoderDestroy(decoder)
            throw error
        }
        self.decoder = decoder
        self.avif = avif
    }

    deinit { avif.avifDecoderDestroy(decoder) }

    /// libavif accepts no larger limit than its default (`AVIF_DEFAULT_IMAGE_SIZE_LIMIT`).
    private static let libavifLimit = 16_384 * 16_384

    private static var maximumPixels: Int {
        max(1, min(ImageLimits.maximumPixels, libavifLimit))
    }

    static func configure(_ decoder: UnsafeMutablePointer<avifDecoder>) {
        decoder.pointee.maxThreads = 1
        decoder.pointee.ignoreExif = AVIF_TRUE
        decoder.pointee.ignoreXMP = AVIF_TRUE
        // Files of old writers lack `pixi`, or `ispe` of the alpha; an invalid `clap` is ignored, as in
        // browsers.
        decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
        decoder.pointee.imageSizeLimit = UInt32(clamping: maximumPixels)
        decoder.pointee.imageDimensionLimit = 1 << 16
        decoder.pointee.imageCountLimit = UInt32(clamping: max(1, ImageLimits.maximumFrames))
    }

    private static func header(
        _ decoder: UnsafeMutablePointer<avifDecoder>, _ avif: kf_avif_functions,
        _ image: UnsafePointer<avifImage>, _ crop: AVIFCrop, _ reader: ByteReader
    ) throws(ImageCodecError) -> ImageHeader {
        var header = ImageHeader(size: crop.size)
        header.orientation = Self.orientation(of: image)
        header.hasAlpha = decoder.pointee.alphaPresent != 0
        header.bitsPerComponent = Int(image.pointee.depth)
        header.isLossless =
            Int(image.pointee.matrixCoefficients) == Int(AVIF_MATRIX_COEFFICIENTS_IDENTITY)
        let format = Self.format(of: header)
        try ImageLimits.check(crop.stored, format: format)
        let count = Int(decoder.pointee.imageCount)
        guard count > 1, decoder.pointee.progressiveState != AVIF_PROGRESSIVE_STATE_ACTIVE else {
            return header
        }
        try ImageLimits.check(frames: count)
        try ImageLimits.check(canvas: crop.stored, format: format)
        header.timing = try Self.timing(of: decoder, avif, count: count, reader)
        return header
    }

    private static func timing(
        of decoder: UnsafePointer<avifDecoder>, _ avif: kf_avif_functions, count: Int, _ reader: ByteReader
    ) throws(ImageCodecError) -> AnimationTiming {
        var durations: [TimeInterval] = []
        durations.reserveCapacity(count)
        for number in 0..<count {
            var timing = avifImageTiming()
            let result = avif.avifDecoderNthImageTiming(decoder, UInt32(number), &timing)
            guard result == AVIF_RESULT_OK else { throw .corrupt("no duration of frame \(number)") }
            let isPositive = timing.timescale > 0 && timing.durationInTimescales > 0
            // As players show a frame without a duration.
            durations.append(
                isPositive ? Double(timing.durationInTimescales) / Double(timing.timescale) : 0.1)
        }
        return AnimationTiming(durations: durations, loopCount: ISOFile.loopCount(in: reader))
    }

    static func format(of header: ImageHeader) -> PixelFormat {
        PixelFormat(
            layout: .rgba, depth: header.bitsPerComponent > 8 ? .sixteen : .eight,
            alpha: header.hasAlpha ? .straight : .opaque)
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
        blocks.channels = (isGrayscale ? 1 : 3) + (header.hasAlpha ? 1 : 0)
        if image.icc.size > 0 {
            keep(image.icc, as: \.profile)
        } else if AVIFColors.encoding(of: image) != nil {
            blocks.codePoints = ImageMetadata.CodePoints(
                primaries: Int(image.colorPrimaries), transfer: Int(image.transferCharacteristics),
                matrix: Int(image.matrixCoefficients), isFullRange: image.yuvRange == AVIF_RANGE_FULL)
        }
        return blocks
    }

    /// Decodes a frame; it is valid until the next one is decoded.
    func decode(frame number: Int) throws(ImageCodecError) -> AVIFFrame {
        let result = avif.avifDecoderNthImage(decoder, UInt32(number))
        guard result == AVIF_RESULT_OK else { throw Self.failure(result, of: nil) }
        return try currentFrame()
    }

    /// The layers of a still, decoded one by one (`a1lx`, `lsel`); 1 without layers.
    var layerCount: Int { header.timing == nil ? Int(decoder.pointee.imageCount) : 1 }

    /// Decodes the next layer; false if its bytes have not arrived.
    func decodeNextLayer() throws(ImageCodecError) -> Bool {
        switch avif.avifDecoderNextImage(decoder) {
        case AVIF_RESULT_OK: return true
        case AVIF_RESULT_WAITING_ON_IO, AVIF_RESULT_TRUNCATED_DATA: return false
        case let result: throw Self.failure(result, of: nil)
        }
    }

    /// The frame that was decoded last.
    func currentFrame() throws(ImageCodecError) -> AVIFFrame {
        guard let image = decoder.pointee.image else { throw .emptyImage }
        guard image.pointee.yuvPlanes.0 != nil, Int(image.pointee.depth) == header.bitsPerComponent else {
            throw .corrupt("another depth than declared")
        }
        // Offsets of a crop of the declared size would be outside of smaller planes.
        guard AVIFCrop(image) == crop else { throw .corrupt("another size than declared") }
        return AVIFFrame(image: image, decoder: self)
    }

    /// The error for a result; looks at the bytes for reasons that libavif does not distinguish.
    static func failure(_ result: avifResult, of reader: ByteReader?) -> ImageCodecError {
        if let reader {
            if ISOBox.isTruncated(reader) { return .truncated }
            if let size = ISOFile.largestItem(in: reader), size.isEmpty || size.area > maximumPixels {
                return .tooLarge(width: size.width, height: size.height)
            }
            if ISOFile.sampleCount(in: reader) > ImageLimits.maximumFrames { return .tooManyFrames }
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

extension AVIFDecoder {
    /// Whether a decode to `target` never holds RGB pixels at full size.
    func scalesPlanes(to target: PixelSize?) -> Bool {
        guard let target else { return false }
        return target.area < header.size.area && !header.hasAlpha
    }

    /// Three times the planes at full size: libavif's image and dav1d's frames, with room for grids, which
    /// are copied.
    var workingMemory: Int {
        let halves = (header.hasAlpha ? 2 : 0) + halfSamples
        let bytesPerPixel = 3 * halves * (header.bitsPerComponent > 8 ? 2 : 1) / 2
        let (bytes, overflow) = crop.stored.area.multipliedReportingOverflow(by: bytesPerPixel)
        return overflow ? .max : bytes
    }

    var pixelMemory: Int { crop.stored.area * (header.bitsPerComponent > 8 ? 8 : 4) }

    func checkMemory(target: PixelSize?) throws(ImageCodecError) {
        let pixels = scalesPlanes(to: target) ? 0 : pixelMemory
        try ImageLimits.check(frameBytes: pixels, beside: workingMemory)
    }
}
