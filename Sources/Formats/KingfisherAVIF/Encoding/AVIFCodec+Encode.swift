import CAVIF
public import Foundation
public import KingfisherCodecSupport

extension AVIFCodec {
    /// Encodes with libaom: lossy with lossless alpha, or lossless in RGB.
    ///
    /// 16-bit samples are rounded to 10 bits, or to 12 in a lossless file. Without `chroma` in the options,
    /// lossy colours are stored in 4:2:0 below a quality of 0.9, otherwise in 4:4:4; lossless ones always in
    /// 4:4:4, and grayscale without alpha has no chroma. Without `effort`, an image of at most 0.25
    /// megapixels takes effort 2, of 1 megapixel 1, and a larger one 0. Equal pixels and options give equal
    /// bytes. A side above 65,535 pixels is `tooLarge`.
    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        let encoder = try AVIFEncoder(options, size: pixels.size)
        try encoder.append(pixels, milliseconds: 1, isStill: true)
        return try encoder.file()
    }

    /// Encodes an animation as a sequence, whose frames after the first depend on earlier ones, unless it is
    /// lossless.
    ///
    /// Delays are whole milliseconds, at least one, rounded so that the sum does not drift. One frame is in
    /// memory at a time, in addition to the file and to libaom's frames.
    public func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            let canvas = try frames.frame(at: 0).size
            let encoder = try AVIFEncoder(options, size: canvas)
            var isOpaque = true
            for number in 0..<frames.count where isOpaque {
                isOpaque = try frames.frame(at: number).format.isOpaque
            }
            var (seconds, milliseconds) = (0.0, 0)
            for number in 0..<frames.count {
                let frame = try frames.frame(at: number)
                guard frame.size == canvas else { throw .unsupported("frames of different sizes") }
                let duration = frames.duration(at: number)
                seconds += duration.isNaN ? 0 : min(max(duration, 0), 86_400)
                let delay = max(1, Int((seconds * 1_000).rounded()) - milliseconds)
                milliseconds += delay
                try encoder.append(
                    frame, milliseconds: delay, isStill: false, format: isOpaque ? .opaque : .straight)
            }
            return try encoder.animation(loopCount: frames.loopCount)
        }
    }
}
