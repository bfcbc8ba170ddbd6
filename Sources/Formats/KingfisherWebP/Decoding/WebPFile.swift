import CWebP
import KingfisherCodecSupport

/// The structure of a WebP file without its pixels (container: RFC 9649, section 2).
struct WebPFile: Sendable {
    let canvas: PixelSize
    /// At least one; a still has one that covers the canvas.
    let frames: [WebPFrame]
    let isAnimated: Bool
    let loopCount: Int
    let orientation: Image.Orientation
    let profile: WebPChunk?

    /// Reads the structure with libwebpdemux, which checks that sizes, flags and frames are consistent.
    ///
    /// Throws `truncated` if the file ends before its RIFF chunk does; ignores bytes after that chunk, as
    /// libwebp does. Throws `tooManyFrames` and `tooMuchMetadata` for the limits of `RIFFWalk`, because
    /// libwebpdemux allocates memory for each chunk.
    init(scanning reader: ByteReader) throws(ImageCodecError) {
        let riff = try Self.riffChunk(of: reader)
        try RIFFWalk.check(riff)
        let start = riff.bytes.bindMemory(to: UInt8.self).baseAddress
        var data = WebPData(bytes: start, size: riff.count)
        guard let demuxer = WebPDemux(&data) else { throw .corrupt("a corrupt WebP container") }
        defer { WebPDemuxDelete(demuxer) }
        func number(_ feature: WebPFormatFeature) -> Int { Int(WebPDemuxGetI(demuxer, feature)) }

        canvas = PixelSize(
            width: number(WEBP_FF_CANVAS_WIDTH), height: number(WEBP_FF_CANVAS_HEIGHT))
        try reader.limits.check(canvas, format: .rgba8Straight)
        let frameCount = number(WEBP_FF_FRAME_COUNT)
        isAnimated = number(WEBP_FF_FORMAT_FLAGS) & Int(ANIMATION_FLAG.rawValue) != 0
        if frameCount > 1 { try reader.limits.check(canvas: canvas, format: .rgba8Straight) }
        loopCount = isAnimated ? number(WEBP_FF_LOOP_COUNT) : 1

        var frames: [WebPFrame] = []
        var iterator = WebPIterator()
        defer { WebPDemuxReleaseIterator(&iterator) }
        var found = WebPDemuxGetFrame(demuxer, 1, &iterator)
        while found != 0 {
            let frame = try WebPFrame(iterator, in: riff, canvas: canvas)
            guard !isAnimated || frame.matchesDeclaredSize(in: riff) else {
                throw .corrupt("a frame with another size than it declares")
            }
            frames.append(frame)
            found = WebPDemuxNextFrame(&iterator)
        }
        guard !frames.isEmpty, frames.count == frameCount else { throw .corrupt("no frame") }
        self.frames = frames

        profile = WebPChunk("ICCP", of: demuxer, in: riff)
        let exif = WebPChunk("EXIF", of: demuxer, in: riff)?.reader(in: riff)
        orientation = exif.flatMap(EXIF.orientation(inChunk:)) ?? .up
    }

    var isOpaque: Bool {
        guard let first = frames.first, first.fills(canvas), !first.hasAlpha else { return false }
        return frames.dropLast().allSatisfy { !$0.disposesToBackground }
            && frames.allSatisfy { $0.blends || !$0.hasAlpha }
    }

    var format: PixelFormat { isOpaque ? .rgba8Opaque : .rgba8Straight }

    var header: ImageHeader {
        var header = ImageHeader(size: canvas)
        header.orientation = orientation
        header.hasAlpha = !isOpaque
        header.isLossless = frames.allSatisfy(\.isLossless)
        header.timing = timing
        return header
    }

    var timing: AnimationTiming? {
        isAnimated ? AnimationTiming(durations: frames.map(\.duration), loopCount: loopCount) : nil
    }

    private static func riffChunk(of reader: ByteReader) throws(ImageCodecError) -> ByteReader {
        guard WebPSignature.begins(reader.bytes) else { throw .corrupt("no WebP signature") }
        guard let size = reader.uint32(at: 4, bigEndian: false), reader.count >= 12,
            let chunk = reader.slice(at: 0, count: 8 + size)
        else { throw .truncated }
        return chunk
    }
}

enum WebPSignature {
    /// Whether `bytes` start a WebP file, even if they end inside the signature.
    static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count > 8 && bytes.starts(with: "RIFF".utf8)
            && bytes[8..<min(bytes.count, 12)].elementsEqual("WEBP".utf8.prefix(bytes.count - 8))
    }
}
