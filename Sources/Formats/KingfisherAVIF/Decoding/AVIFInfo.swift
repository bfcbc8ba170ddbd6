import CAVIF
import Foundation
import KingfisherCodecSupport

/// What a file declares, checked against its limits.
struct AVIFInfo {
    private(set) var header: ImageHeader
    let crop: AVIFCrop
    let isGrayscale: Bool
    /// Twice the samples of a pixel, without alpha.
    private let halfSamples: Int

    /// Reads what `decoder` has parsed.
    init(
        _ decoder: UnsafeMutablePointer<avifDecoder>, _ image: UnsafePointer<avifImage>,
        by avif: kf_avif_functions, of reader: ByteReader
    ) throws(ImageCodecError) {
        crop = AVIFCrop(image)
        isGrayscale = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
        halfSamples =
            switch image.pointee.yuvFormat {
            case AVIF_PIXEL_FORMAT_YUV400: 2
            case AVIF_PIXEL_FORMAT_YUV420: 3
            case AVIF_PIXEL_FORMAT_YUV422: 4
            default: 6
            }
        header = ImageHeader(size: crop.size)
        header.orientation = Self.orientation(of: image)
        header.hasAlpha = decoder.pointee.alphaPresent != 0
        header.bitsPerComponent = Int(image.pointee.depth)
        header.isLossless =
            Int(image.pointee.matrixCoefficients) == Int(AVIF_MATRIX_COEFFICIENTS_IDENTITY)
        try reader.limits.check(crop.stored, format: format)
        let count = Int(decoder.pointee.imageCount)
        if count > 1, decoder.pointee.progressiveState != AVIF_PROGRESSIVE_STATE_ACTIVE {
            try reader.limits.check(frames: count)
            try reader.limits.check(canvas: crop.stored, format: format)
            header.timing = try Self.timing(of: decoder, avif, count: count, reader)
        }
        try reader.limits.check(metadataBytes: image.pointee.icc.size)
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

    /// Of the pixels at full size.
    var format: PixelFormat {
        PixelFormat(
            layout: .rgba, depth: header.bitsPerComponent > 8 ? .sixteen : .eight,
            alpha: header.hasAlpha ? .straight : .opaque)
    }

    /// Three times the planes at full size: libavif's image and dav1d's frames, with room for grids, which
    /// are copied.
    var workingMemory: Int {
        let halves = (header.hasAlpha ? 2 : 0) + halfSamples
        let bytesPerPixel = 3 * halves * (header.bitsPerComponent > 8 ? 2 : 1) / 2
        let (bytes, overflow) = crop.stored.area.multipliedReportingOverflow(by: bytesPerPixel)
        return overflow ? .max : bytes
    }

    /// The RGB pixels at full size, which a decode of an opaque image to a smaller size never holds.
    func pixelMemory(for size: PixelSize) -> Int {
        if size.area < header.size.area, !header.hasAlpha { return 0 }
        return crop.stored.area * format.bytesPerPixel
    }

    func checkMemory(for size: PixelSize, _ limits: ImageLimits) throws(ImageCodecError) {
        try limits.check(frameBytes: pixelMemory(for: size), beside: workingMemory)
    }
}
