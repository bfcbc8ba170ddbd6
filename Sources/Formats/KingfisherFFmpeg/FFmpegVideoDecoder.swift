import CFFmpeg
import Foundation
import KingfisherImage
package import KingfisherIsolation

/// Decodes frames with FFmpeg's libraries, which are loaded at first use. Only for decoder processes.
package struct FFmpegVideoDecoder: VideoDecoder {
    package init() {}

    /// The names of the codecs, and of FFmpeg's decoders for them.
    private static let decoders = [
        ("H.264", "h264"), ("HEVC", "hevc"), ("VP8", "vp8"), ("VP9", "vp9"), ("AV1", "libdav1d"),
    ]

    package func prepare() -> (codecs: [String], missing: String?) {
        if let missing = kf_video_missing() { return ([], String(cString: missing)) }
        return (Self.decoders.filter { kf_video_has_decoder($0.1) }.map(\.0), nil)
    }

    package func frame(_ job: VideoJob, from bytes: any VideoBytes) throws(ImageCodecError) -> PixelBuffer {
        let video = try OpenVideo(job, bytes)
        try video.decode()
        return try video.pixels()
    }
}

/// An open file. Not for concurrent use.
private final class OpenVideo {
    private let video: UnsafeMutablePointer<kf_video>
    private let job: VideoJob
    private let bytes: any VideoBytes

    init(_ job: VideoJob, _ bytes: any VideoBytes) throws(ImageCodecError) {
        (self.job, self.bytes) = (job, bytes)
        video = .allocate(capacity: 1)
        let source = kf_video_source(
            read: { context, offset, bytes, count in
                guard let context else { return -1 }
                let video = Unmanaged<OpenVideo>.fromOpaque(context).takeUnretainedValue()
                let room = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
                return Int64(video.bytes.read(into: room, at: Int(offset)) ?? -1)
            }, context: Unmanaged.passUnretained(self).toOpaque(), count: Int64(job.count))
        guard kf_video_open(video, source, Int64(job.limits.maximumPixels)) else { throw error }
    }

    deinit {
        kf_video_close(video)
        video.deallocate()
    }

    func decode() throws(ImageCodecError) {
        guard kf_video_decode(video, job.seconds, job.isKeyframe) else { throw error }
    }

    func pixels() throws(ImageCodecError) -> PixelBuffer {
        let orientation = Image.Orientation(exif: Int(video.pointee.orientation)) ?? .up
        let size = scaled(orientation)
        let stored = orientation.swapsSides ? size.swapped : size
        let depth = video.pointee.depth > 8 ? PixelFormat.Depth.sixteen : .eight
        try job.limits.check(stored)
        let format = PixelFormat(layout: .rgba, depth: depth, alpha: .opaque)
        let pixels = try PixelBuffer.decoding(stored, format: format) {
            rows, stride throws(ImageCodecError) in
            guard
                kf_video_copy(video, rows, Int32(stride), Int32(stored.width), Int32(stored.height))
            else { throw error }
        }
        return try DecodedPixels(pixels, colors: colors?.transform(of: .rgb(depth)))
            .upright(from: orientation).finished()
    }

    /// The upright size: samples become square, and the frame fits.
    private func scaled(_ orientation: Image.Orientation) -> PixelSize {
        let aspect = (1 / 16.0)...16 ~= video.pointee.aspect ? video.pointee.aspect : 1
        let width = (Double(video.pointee.width) * aspect).rounded()
        let frame = PixelSize(width: max(1, Int(width)), height: Int(video.pointee.height))
        let size = orientation.swapsSides ? frame.swapped : frame
        guard let most = job.maximumSize else { return size }
        return size.fitted(within: CGSize(width: most.width, height: most.height))
    }

    /// The colours; nil for sRGB. Players show the primaries and the curves of SDR television as sRGB, apart
    /// from wide gamuts.
    private var colors: ColorEncoding? {
        let isHDR = [16, 18].contains(video.pointee.transfer)
        let isWide = ![0, 1, 2, 5, 6].contains(video.pointee.primaries)
        guard isHDR || isWide else { return nil }
        return ColorEncoding(
            primaries: isWide ? Int(video.pointee.primaries) : 1,
            transfer: isHDR ? Int(video.pointee.transfer) : 13)
    }

    private var error: ImageCodecError {
        let message = withUnsafeBytes(of: video.pointee.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        switch video.pointee.status {
        case kf_video_truncated: return .truncated
        case kf_video_unsupported: return .unsupported(message)
        case kf_video_out_of_memory: return .outOfMemory
        default: return .corrupt(message)
        }
    }
}
