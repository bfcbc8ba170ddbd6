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
    /// Delays are told in hundredths of a second, from two on.
    package func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            var delays = GIFDelays()
            var writer = try GIFWriter(canvas: frames.frame(at: 0).size)
            writer.appendLoop(count: frames.loopCount)
            for number in 0..<frames.count {
                try writer.append(
                    IndexedPicture(frames.frame(at: number)),
                    hundredths: delays.hundredths(of: frames.duration(at: number)))
            }
            writer.finish()
            return writer.data
        }
    }
}
