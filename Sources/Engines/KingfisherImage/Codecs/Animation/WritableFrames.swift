public import Foundation

/// The frames of an animation for an encoder: within the limits, each decoded or an error.
///
/// They are a copy, so a view that plays the animation concurrently keeps its position.
public struct WritableFrames {
    /// The number of frames, at least one.
    public let count: Int
    /// How often the animation plays; 0 means forever.
    public let loopCount: Int
    private let frames: any ImageFrameSource

    /// Throws `emptyImage` without frames, `tooManyFrames` for more than `ImageLimits.maximumFrames`, and
    /// `tooManyAnimationPixels` for too many pixels in all frames.
    public init(_ frames: any ImageFrameSource) throws(ImageCodecError) {
        count = frames.frameCount
        loopCount = frames.loopCount
        guard count > 0 else { throw .emptyImage }
        try ImageLimits.current.check(frames: count)
        self.frames = frames.playingCopy
        if count > 1 { try ImageLimits.current.check(frames: count, of: frame(at: 0).size) }
    }

    /// The frame at `number`; throws `corrupt` if it cannot be decoded.
    public func frame(at number: Int) throws(ImageCodecError) -> PixelBuffer {
        guard let pixels = frames.frame(at: number) else {
            throw .corrupt("frame \(number) cannot be decoded")
        }
        return pixels
    }

    /// How long the frame at `number` is shown, in seconds.
    public func duration(at number: Int) -> TimeInterval { frames.duration(at: number) }
}

extension ImageCodec {
    /// Encodes an animation with `body`, or a single frame as a still.
    public func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions,
        animation body: (WritableFrames) throws(ImageCodecError) -> Data
    ) throws(ImageCodecError) -> Data {
        let frames = try WritableFrames(frames)
        if frames.count == 1 { return try encode(frames.frame(at: 0), options: options) }
        return try body(frames)
    }
}
