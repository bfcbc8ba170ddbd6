import CAVIF
public import Foundation
public import KingfisherCodecSupport

/// AVIF with libavif (container: ISO/IEC 23000-22; bitstream: AV1).
///
/// Decodes stills, grids and sequences of 8, 10 and 12 bits; the latter two become 16-bit pixels. Applies
/// `clap`, `irot` and `imir`, and ignores the orientation in EXIF, as the format requires. Converts an ICC
/// profile, or else the `nclx` primaries and transfer, to sRGB. Pixels are `.rgba` in 8 or 16 bits, opaque or
/// with straight alpha; premultiplied files are divided. The decoder works on the caller's thread.
public struct AVIFCodec: ImageCodec, DeferredColorCodec {
    /// Creates the codec for `ImageCodecs.register(.avif)`.
    public init() {}

    public var format: ImageFormat { .avif }

    public var fileExtensions: [String] { ["avif", "avifs"] }

    public var capabilities: CodecCapabilities {
        [
            .decodesSmall, .decodesAnimations, .decodes16Bits, .encodesStills, .encodesAnimations,
            .encodesLossy, .encodesLossless, .encodesAlpha, .encodes16Bits, .encodesChroma,
            .encodesEffort, .readsMetadata,
        ]
    }

    /// Loads libavif.
    public var version: String {
        let version = kf_avif()?.pointee.avifVersion()
        return "libavif \(version.map { String(cString: $0) } ?? "is missing")"
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        ISOFile.isAVIF(ByteReader(bytes))
    }

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try data.reading { reader throws(ImageCodecError) in try AVIFDecoder(reader.bytes).header }
    }

    /// EXIF, XMP, and the ICC profile or else the `nclx` code points.
    public func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks {
        try data.reading { reader throws(ImageCodecError) in
            try AVIFDecoder(reader.bytes, readsMetadata: true).metadataBlocks
        }
    }

    /// With `target`, only planes are held at full size; otherwise the pixels are added.
    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try data.reading { reader throws(ImageCodecError) in
            let decoder = try AVIFDecoder(reader.bytes)
            return decoder.workingMemory + (decoder.scalesPlanes(to: target) ? 0 : decoder.pixelMemory)
        }
    }

    public func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try decodeFirst(data) { shown in minimumSize.map { shown.shrunk(toCover: $0) } ?? shown }
    }

    public func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try decodeFirst(data) { _ in target }
    }

    private func decodeFirst(
        _ data: Data, to target: (_ shown: PixelSize) -> PixelSize
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let decoder = try AVIFDecoder(reader.bytes)
            let size = target(decoder.header.displaySize)
            try decoder.checkMemory(target: size)
            return try decoder.decode(frame: 0).pixels(shrunkTo: size)
        }
    }

    public func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        let header = try header(of: data)
        guard let timing = header.timing else { return nil }
        try ImageLimits.check(frames: timing.durations.count, of: header.size)
        let source = SequentialFrameSource<AVIFFrames>(
            data, header, size: header.displaySize, timing: timing)
        // The first frame is shown immediately, so its errors belong here.
        _ = try source.decodedFrame(at: 0)
        return source
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
