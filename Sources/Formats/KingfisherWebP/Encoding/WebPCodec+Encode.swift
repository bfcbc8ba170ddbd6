import CWebP
public import Foundation
public import KingfisherCodecSupport

extension WebPCodec {
    /// Encodes with libwebp: lossy with lossless alpha, or lossless including the colours of transparent
    /// pixels.
    ///
    /// Equal pixels and options give equal bytes. 16-bit samples are rounded to 8. A side above 16,383
    /// pixels, the limit of the format, is `tooLarge`.
    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try WebPEncoder(options).encode(pixels.straightRGBA())
    }

    /// Encodes each frame as its difference from the previous one.
    ///
    /// Repeated frames are kept. Delays are whole milliseconds, at most 16,777,215 each, rounded so that the
    /// sum does not drift; the maximum loop count is 65,535. Two frames are in memory at a time, in addition
    /// to the file.
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
    fileprivate func straightRGBA() throws(ImageCodecError) -> PixelBuffer {
        try converted(to: format.isOpaque ? .rgba8Opaque : .rgba8Straight)
    }
}
