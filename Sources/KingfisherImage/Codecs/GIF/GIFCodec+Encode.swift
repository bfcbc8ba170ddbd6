package import Foundation

extension GIFCodec {
    /// Encodes a still: at most 256 colours, opaque or transparent pixels; `options` have nothing to say.
    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        var writer = try GIFWriter(canvas: pixels.size)
        let drawing = GIFDrawing(try pixels.straightForGIF(), over: nil, fillsCanvas: true)
        writer.append(
            IndexedImage(exactly: drawing) ?? IndexedImage(dithering: drawing), hundredths: nil)
        writer.finish()
        return writer.data
    }

    /// Encodes an animation, two frames in memory at a time: of each what differs from the one before, with a
    /// palette of its own of at most 256 colours.
    ///
    /// Where a frame has more, it is dithered; pixels that stay as they were are not drawn again, so that
    /// what stands still does not flicker. Delays are told in hundredths of a second, from two on.
    package func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            var delays = GIFDelays()
            var writer = try GIFWriter(canvas: frames.frame(at: 0).size)
            writer.appendLoop(count: frames.loopCount)
            var animation = GIFAnimation(writer)
            for number in 0..<frames.count {
                try animation.append(
                    frames.frame(at: number).straightForGIF(),
                    hundredths: delays.hundredths(of: frames.duration(at: number)))
            }
            return animation.finish().data
        }
    }
}
