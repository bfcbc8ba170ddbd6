import CAVIF
import Foundation
import KingfisherCodecSupport

/// libavif's encoder with libaom, on the caller's thread.
final class AVIFEncoder {
    private let encoder: UnsafeMutablePointer<avifEncoder>
    private let avif: kf_avif_functions
    private let isLossless: Bool
    private let chroma: ChromaSubsampling

    init(_ options: ImageEncodingOptions, size: PixelSize) throws(ImageCodecError) {
        guard max(size.width, size.height) <= 65_535 else {
            throw .tooLarge(width: size.width, height: size.height)
        }
        avif = try AVIFLibrary.functions
        guard let encoder = avif.avifEncoderCreate() else { throw .outOfMemory }
        self.encoder = encoder
        let quality = options.quality.isNaN ? 1 : min(max(options.quality, 0), 1)
        isLossless = options.isLossless
        chroma = isLossless ? .full : options.chroma ?? (quality < 0.9 ? .quarter : .full)
        encoder.pointee.codecChoice = AVIF_CODEC_CHOICE_AOM
        encoder.pointee.maxThreads = 1
        encoder.pointee.timescale = 1_000
        encoder.pointee.speed = 10 - Int32(options.effort(upTo: 10) ?? Self.effort(for: size))
        // Alpha is lossless, as in WebP files.
        encoder.pointee.minQuantizerAlpha = 0
        encoder.pointee.maxQuantizerAlpha = 0
        let quantizer = isLossless ? 0 : Self.quantizer(for: quality)
        encoder.pointee.minQuantizer = quantizer == 0 ? 0 : max(quantizer - 4, 1)
        encoder.pointee.maxQuantizer = quantizer == 0 ? 0 : min(quantizer + 4, 63)
        // libaom 3.6 changes pixels of frames that depend on earlier ones, despite its lossless mode.
        if isLossless { encoder.pointee.keyframeInterval = 1 }
        guard quantizer > 0 else { return }
        guard kf_avif_set_option(encoder, "color:end-usage", "q") != 0,
            kf_avif_set_option(encoder, "color:cq-level", "\(quantizer)") != 0
        else { throw .outOfMemory }
    }

    deinit { avif.avifEncoderDestroy(encoder) }

    /// libaom's speed 8 for thumbnails, 10 above a megapixel: 34 ms for 300 pixels, 65 ms for 1,000.
    private static func effort(for size: PixelSize) -> Int {
        size.area <= 262_144 ? 2 : size.area <= 1 << 20 ? 1 : 0
    }

    /// The linear scale of avifenc 1.0: 63 is the worst of AV1's 64 quantizers.
    private static func quantizer(for quality: Double) -> Int32 {
        Int32(((1 - quality) * 63).rounded())
    }

    /// Encodes `pixels` as the next frame; `format` forces alpha to be kept or dropped.
    func append(
        _ pixels: PixelBuffer, milliseconds: Int, isStill: Bool, format: PixelFormat.Alpha? = nil
    ) throws(ImageCodecError) {
        let alpha = format ?? (pixels.format.isOpaque ? .opaque : .straight)
        let isGray = pixels.format.layout == .gray && isStill
        let depth = pixels.format.depth
        let straight = try pixels.converted(
            to: PixelFormat(layout: .rgba, depth: depth, alpha: alpha))
        let image = try makeImage(straight, isGray: isGray)
        defer { avif.avifImageDestroy(image) }
        try fill(image, with: straight)
        let flags = isStill ? AVIF_ADD_IMAGE_FLAG_SINGLE.rawValue : 0
        try check(avif.avifEncoderAddImage(encoder, image, UInt64(milliseconds), avifAddImageFlags(flags)))
    }

    private func makeImage(
        _ pixels: PixelBuffer, isGray: Bool
    ) throws(ImageCodecError) -> UnsafeMutablePointer<avifImage> {
        let planes =
            switch chroma {
            case _ where isGray: AVIF_PIXEL_FORMAT_YUV400
            case .full: AVIF_PIXEL_FORMAT_YUV444
            case .half: AVIF_PIXEL_FORMAT_YUV422
            case .quarter: AVIF_PIXEL_FORMAT_YUV420
            }
        let depth: UInt32 = pixels.format.depth == .eight ? 8 : isLossless ? 12 : 10
        guard
            let image = avif.avifImageCreate(UInt32(pixels.width), UInt32(pixels.height), depth, planes)
        else {
            throw .outOfMemory
        }
        image.pointee.yuvRange = AVIF_RANGE_FULL
        image.pointee.colorPrimaries = avifColorPrimaries(AVIF_COLOR_PRIMARIES_BT709)
        image.pointee.transferCharacteristics =
            avifTransferCharacteristics(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
        let matrix =
            isLossless && !isGray ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601
        image.pointee.matrixCoefficients = avifMatrixCoefficients(matrix)
        return image
    }

    private func fill(
        _ image: UnsafeMutablePointer<avifImage>, with pixels: PixelBuffer
    ) throws(ImageCodecError) {
        guard let stride = UInt32(exactly: pixels.bytesPerRow) else { throw .tooMuchMemory }
        let result = pixels.withUnsafeBytes { bytes in
            var rgb = avifRGBImage()
            avif.avifRGBImageSetDefaults(&rgb, image)
            rgb.format = AVIF_RGB_FORMAT_RGBA
            rgb.depth = UInt32(pixels.format.depth.rawValue)
            rgb.ignoreAlpha = pixels.format.isOpaque ? AVIF_TRUE : AVIF_FALSE
            // libavif only reads them.
            rgb.pixels = UnsafeMutablePointer(
                mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            rgb.rowBytes = stride
            return avif.avifImageRGBToYUV(image, &rgb)
        }
        try check(result)
    }

    func file() throws(ImageCodecError) -> Data {
        var output = avifRWData()
        defer { avif.avifRWDataFree(&output) }
        try check(avif.avifEncoderFinish(encoder, &output))
        guard let bytes = output.data, output.size > 0 else { throw .emptyImage }
        return Data(bytes: bytes, count: output.size)
    }

    func animation(loopCount: Int) throws(ImageCodecError) -> Data {
        let plays = min(max(loopCount, 0), 0xFFFF)
        let isWritten = kf_avif_set_plays(encoder, Int32(plays)) != 0
        let encoded = try file()
        guard let sequence = AVIFSequenceFile(encoded, addingPlays: isWritten ? nil : plays) else {
            throw .unsupported("the sequence of this version of libavif")
        }
        return sequence.data
    }

    private func check(_ result: avifResult) throws(ImageCodecError) {
        switch result {
        case AVIF_RESULT_OK: return
        case AVIF_RESULT_OUT_OF_MEMORY: throw .outOfMemory
        default: throw .unsupported("libavif: \(AVIFLibrary.text(of: result))")
        }
    }
}
