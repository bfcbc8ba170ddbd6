import CWebP
public import Foundation
public import KingfisherCodecSupport

extension WebPCodec {
    /// Encodes with libwebp, lossy with lossless alpha, or lossless down to the colours under full
    /// transparency.
    ///
    /// Equal pixels and options give equal bytes. 16-bit samples are rounded to 8; a side above 16,383
    /// pixels, which the format cannot say, is `tooLarge`.
    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try WebPEncoder(options).encode(pixels.straightRGBA())
    }

    /// Encodes frame after frame, each as the part in which it differs from the one before.
    ///
    /// Every frame stays a frame of its own, those that repeat an image, too. Delays are whole milliseconds,
    /// at most 16,777,215 each, rounded so that the sum does not drift; loop counts end at 65,535. Two frames
    /// are in memory at a time, beside the file.
    public func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            let encoder = try WebPEncoder(options)
            var delays = MillisecondDelays()
            let canvas = try frames.frame(at: 0).size
            let animation = try WebPAnimation(canvas: canvas, loopCount: frames.loopCount)
            var before: PixelBuffer?
            for number in 0..<frames.count {
                let shown = try frames.frame(at: number).straightRGBA()
                guard shown.size == canvas else { throw .unsupported("frames of different sizes") }
                let part = try encoder.encode(shown, over: before)
                try animation.append(part, milliseconds: delays.next(frames.duration(at: number)))
                before = shown
            }
            return try animation.data()
        }
    }
}

extension PixelBuffer {
    /// The image as libwebp takes it: 8 bits, colours that are not multiplied by alpha.
    fileprivate func straightRGBA() throws(ImageCodecError) -> PixelBuffer {
        try converted(to: format.isOpaque ? .rgba8Opaque : .rgba8Straight)
    }
}
