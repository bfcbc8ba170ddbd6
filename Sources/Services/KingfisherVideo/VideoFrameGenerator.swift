public import Foundation
public import Kingfisher
public import KingfisherImage
public import KingfisherIsolation

/// Makes images of the frames of a video: MP4, MOV, Matroska or WebM with H.264, HEVC, VP8, VP9 or AV1.
///
/// The counterpart of `AVAssetImageGenerator`. FFmpeg's libraries decode in a locked-down process,
/// `kingfisher-decoder`, which asks for the parts of the file that it needs; they are never loaded into the
/// program. They are in Debian's packages libavformat59 and libswscale6, on Debian 13 in libavformat61 and
/// libswscale8. A program needs the decoder as for isolated formats (`DecoderSettings.executable`).
///
/// Frames are upright, with square pixels, in sRGB; HDR is tone-mapped as in AVIF.
///
///     let frame = try await VideoFrameGenerator(asset: url).image(at: 12.5)
public struct VideoFrameGenerator: Sendable {
    /// Which frame is enough.
    public enum Tolerance: Hashable, Sendable {
        /// The frame that is shown at the time.
        case exact
        /// The keyframe that begins its group, which takes the least time.
        case keyframe
    }

    /// A local file, or a URL that `downloader` can load from a server that sends parts of files.
    public let asset: URL
    /// Larger frames are scaled to fit, in pixels; zero for no limit. Zero by default.
    public var maximumSize = CGSize.zero
    /// Which frame is enough; `exact` by default.
    public var tolerance = Tolerance.exact
    /// Sends the requests for parts of the file.
    public var downloader = ImageDownloader.default
    /// Changes each request for a part of the file, such as to add header fields; nil by default. A request
    /// that it refuses fails the frame with `VideoFrameError.unreadable`.
    public var requestModifier: (any ImageDownloadRequestModifier)?
    /// The processes that decode. Videos have processes of their own, at most `maximumProcesses`, which are
    /// held while parts of the file arrive.
    public var pool = DecoderPool.shared
    /// The limits of a frame.
    public var limits = ImageLimits()
    /// The most bytes that are read for a frame; 256 MiB by default. Frames of files with an index need that
    /// and one group of frames.
    public var byteLimit = 256 << 20

    /// Its threads wait for decoders and servers; threads of the system's shared queues must not.
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        queue.qualityOfService = .userInitiated
        return queue
    }()

    /// Creates a generator of frames of the video at `asset`.
    public init(asset: URL) {
        self.asset = asset
    }

    /// Decodes the frame that is shown `seconds` after the start: for an earlier time the first frame, for a
    /// later time the last one.
    ///
    /// Works on a queue of its own, with as many frames at a time as there are cores. Throws
    /// `VideoFrameError`, `ImageCodecError`, `URLError`, or `CancellationError` if the task is cancelled; a
    /// frame that is being decoded is then abandoned at the next part that its decoder asks for.
    public func image(at seconds: TimeInterval) async throws -> Image {
        let cancellation = VideoCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                Self.queue.addOperation {
                    continuation.resume(with: Result { try image(at: seconds, cancellation) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func image(at seconds: TimeInterval, _ cancellation: VideoCancellation) throws -> Image {
        try cancellation.check()
        guard seconds.isFinite else { throw VideoFrameError.invalidTime }
        let file: any VideoFile =
            asset.isFileURL
            ? try LocalVideoFile(asset)
            : try RemoteVideoFile(VideoRequests(asset, downloader, requestModifier, cancellation))
        let exchange = VideoExchange(
            count: file.count, at: seconds, isKeyframe: tolerance == .keyframe, maximumSize: pixelSize,
            limits: limits, byteLimit: byteLimit, pool: pool)
        let pixels = try exchange.frame { range in
            try cancellation.check()
            return try file.bytes(range)
        }
        try cancellation.check()
        return Image(pixels: pixels)
    }

    /// Nil without a limit; a limit on one side only leaves the other one free.
    private var pixelSize: PixelSize? {
        guard maximumSize.width >= 1 || maximumSize.height >= 1 else { return nil }
        func side(_ length: CGFloat) -> Int { length >= 1 ? Int(min(length, 1_048_576)) : 1_048_576 }
        return PixelSize(width: side(maximumSize.width), height: side(maximumSize.height))
    }
}
