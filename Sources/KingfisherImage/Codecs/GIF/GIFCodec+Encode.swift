package import Foundation

extension GIFCodec {
    /// Encodes a still: at most 256 colours, opaque or transparent pixels; `options` have nothing to say.
    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        var writer = try GIFWriter(canvas: pixels.size)
        try writer.append(IndexedPicture(pixels), hundredths: nil)
        writer.finish()
        return writer.data
    }

    /// Encodes an animation, one frame in memory at a time; each has its own palette of at most 256 colours.
    ///
    /// Delays are told in hundredths of a second, from two on. Throws `corrupt` at a frame that cannot be had.
    package func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        // Whoever shows the animation meanwhile keeps his place in it.
        let frames = frames.copy()
        var delays = GIFDelays()
        var writer: GIFWriter?
        for number in 0..<frames.frameCount {
            guard let pixels = frames.frame(at: number) else {
                throw .corrupt("frame \(number) is broken")
            }
            if writer == nil {
                writer = try GIFWriter(canvas: pixels.size)
                writer?.appendLoop(count: frames.loopCount)
            }
            try writer?.append(
                IndexedPicture(pixels), hundredths: delays.hundredths(of: frames.duration(at: number)))
        }
        guard var writer else { throw .emptyImage }
        writer.finish()
        return writer.data
    }
}
