package import Foundation

extension GIFCodec {
    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        var writer = try GIFWriter(canvas: pixels.size)
        let drawing = GIFDrawing(try pixels.straightForGIF(), over: nil, fillsCanvas: true)
        let image =
            IndexedImage(exactly: drawing.pixels, limit: options.paletteColors)
            ?? IndexedImage(
                dithering: drawing.pixels, width: drawing.area.width, limit: options.paletteColors)
        writer.append(image, in: drawing.area, hundredths: nil)
        writer.finish()
        return writer.data
    }

    /// Encodes an animation with two frames in memory at a time. Each frame is the difference from the
    /// previous one, with a separate palette of at most 256 colours.
    ///
    /// A frame with more colours is dithered. Unchanged pixels are not drawn again, so that static areas do
    /// not flicker. Delays are in hundredths of a second, at least two.
    package func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            var delays = GIFDelays()
            var writer = try GIFWriter(canvas: frames.frame(at: 0).size)
            writer.appendLoop(count: frames.loopCount)
            var animation = GIFAnimation(writer, colors: options.paletteColors)
            for number in 0..<frames.count {
                try animation.append(
                    frames.frame(at: number).straightForGIF(),
                    hundredths: delays.hundredths(of: frames.duration(at: number)))
            }
            return animation.finish().data
        }
    }
}
