public import Foundation

/// The frames of an animation as an encoder gets them: no more than files may have, each there or an error.
///
/// They are a copy: a view that plays the animation meanwhile keeps its place.
public struct WritableFrames {
    /// Frames in all, at least one.
    public let count: Int
    /// How often the animation plays; 0 means for ever.
    public let loopCount: Int
    private let frames: any ImageFrameSource

    /// Throws `emptyImage` where there are none, `tooManyFrames` where there are more than
    /// `ImageLimits.maximumFrames`, `tooManyAnimationPixels` where they are too large for their number.
    public init(_ frames: any ImageFrameSource) throws(ImageCodecError) {
        count = frames.frameCount
        loopCount = frames.loopCount
        guard count > 0 else { throw .emptyImage }
        try ImageLimits.check(frames: count)
        self.frames = frames.playingCopy
        if count > 1 { try ImageLimits.check(frames: count, of: frame(at: 0).size) }
    }

    /// The frame at `number`; throws `corrupt` where it cannot be had.
    public func frame(at number: Int) throws(ImageCodecError) -> PixelBuffer {
        guard let pixels = frames.frame(at: number) else { throw .corrupt("frame \(number) is broken") }
        return pixels
    }

    /// How long the frame at `number` is shown, in seconds.
    public func duration(at number: Int) -> TimeInterval { frames.duration(at: number) }
}

extension ImageCodec {
    /// Encodes an animation by `body`, a single frame as the still that it is.
    public func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions,
        animation body: (WritableFrames) throws(ImageCodecError) -> Data
    ) throws(ImageCodecError) -> Data {
        let frames = try WritableFrames(frames)
        if frames.count == 1 { return try encode(frames.frame(at: 0), options: options) }
        return try body(frames)
    }
}
