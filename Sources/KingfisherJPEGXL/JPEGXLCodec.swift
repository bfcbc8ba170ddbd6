import CJPEGXL
public import Foundation
public import KingfisherCodecSupport

/// JPEG XL with libjxl (ISO/IEC 18181), in a container or as a bare codestream.
///
/// Decodes stills and animations, whose layers libjxl composes. Samples of more than 8 bits, also floating
/// point, become 16 bits in 0...1. Greyscale stays greyscale, other pixels are `.rgba`, opaque or with
/// straight alpha; premultiplied files are divided. The orientation of the codestream is applied, that of
/// EXIF ignored, as the format requires. An ICC profile or an encoded colour space is converted to sRGB; PQ
/// and HLG are tone-mapped. If a smaller image is enough, rows are averaged while they are decoded, and
/// straight alpha becomes premultiplied. CMYK is `unsupported`. The decoder works on the caller's thread.
public struct JPEGXLCodec: ImageCodec, DeferredColorCodec {
    /// Creates the codec for `ImageCodecs.register(.jpegXL)`.
    public init() {}

    public var format: ImageFormat { .jpegXL }

    public var capabilities: CodecCapabilities {
        [
            .decodesSmall, .decodesAnimations, .decodes16Bits, .encodesStills, .encodesAnimations,
            .encodesLossy,
            .encodesLossless, .encodesAlpha, .encodes16Bits, .encodesEffort, .readsMetadata,
        ]
    }

    /// Loads libjxl.
    public var version: String { JPEGXLLibrary.version }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        JPEGXLDecoder.matches(ByteReader(bytes))
    }

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try header(of: data, acceptsPartialImages: false)
    }

    public func header(
        of data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> ImageHeader {
        try data.reading { reader throws(ImageCodecError) in
            try JPEGXLInfo(reader.bytes, layers: false, acceptsPart: acceptsPartialImages).header
        }
    }

    /// Decodes the file, because a codestream does not state its length.
    public func endsEarly(_ data: Data) -> Bool {
        do throws(ImageCodecError) {
            return try data.reading { reader throws(ImageCodecError) in
                let info = try JPEGXLInfo(reader.bytes, layers: true, acceptsPart: true)
                guard info.isComplete else { return true }
                return try !JPEGXLFrames(reader.bytes, info).isWhole()
            }
        } catch {
            return error == .truncated
        }
    }

    /// The most that libjxl takes for a file of this kind: it depends on what the frame contains.
    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try data.reading { reader throws(ImageCodecError) in
            let info = try JPEGXLInfo(reader.bytes, layers: true, acceptsPart: true)
            let pixels = PixelBuffer.memoryOfRows(
                info.header.size, format: info.format, minimumSize: target?.doubled)
            let (sum, overflow) = info.workingMemory.addingReportingOverflow(2 * min(pixels, .max / 2))
            return overflow ? .max : sum
        }
    }

    public func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let info = try JPEGXLInfo(reader.bytes, layers: true, acceptsPart: acceptsPartialImages)
            do throws(ImageCodecError) {
                return try JPEGXLFrames(reader.bytes, info).decodeNext(minimumSize: minimumSize)
            } catch {
                guard acceptsPartialImages, error == .truncated else { throw error }
                return try JPEGXLFrames(reader.bytes, info).decodeNext(minimumSize: nil, acceptsPart: true)
            }
        }
    }

    public func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        let info = try data.reading { reader throws(ImageCodecError) in
            try JPEGXLInfo(reader.bytes, layers: false)
        }
        guard let timing = info.header.timing else { return nil }
        try ImageLimits.check(frames: timing.durations.count, of: info.header.size)
        let source = SequentialFrameSource<JPEGXLAnimation>(
            data, info, size: info.header.displaySize, timing: timing)
        // The first frame is shown immediately, so its errors belong here.
        _ = try source.decodedFrame(at: 0)
        return source
    }

    public func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        do throws(ImageCodecError) {
            return try frameSource(for: data)
        } catch {
            guard acceptsPartialImages, error == .truncated else { throw error }
            return nil
        }
    }
}
