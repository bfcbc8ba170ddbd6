import CAVIF
import KingfisherCodecSupport

/// A decoded frame: planes in libavif's memory, valid until its decoder goes on.
struct AVIFFrame {
    let image: UnsafeMutablePointer<avifImage>
    let frames: AVIFFrames

    private var info: AVIFInfo { frames.info }

    /// The frame upright, cropped and resampled to `target`; itself if that is its size.
    func pixels(shrunkTo target: PixelSize) throws(ImageCodecError) -> DecodedPixels {
        let format = info.format
        let orientation = info.header.orientation
        let stored = orientation.swapsSides ? target.swapped : target
        try frames.limits.check(stored, format: format)
        let colors = AVIFColors.transform(image, info)
        // A matrix and a filter commute, so planes can be resampled first; not with alpha, which weights the
        // colours.
        if stored.area < info.crop.size.area, format.isOpaque,
            let planes = AVIFPlanes(image, info.crop)
        {
            let pixels = try planes.resized(to: stored, of: image, by: frames.avif) {
                small throws(ImageCodecError) in
                try convert(small, to: format)
            }
            return try DecodedPixels(pixels, colors: colors).upright(from: orientation)
        }
        let whole = try convert(image, to: format)
        let pixels = DecodedPixels(try cropped(whole), colors: colors)
        let shown = stored == info.crop.size ? pixels : try pixels.resized(to: stored)
        return try shown.upright(from: orientation)
    }

    private func cropped(_ pixels: PixelBuffer) throws(ImageCodecError) -> PixelBuffer {
        let crop = info.crop
        guard !crop.isWhole else { return pixels }
        return try pixels.cropped(
            x: crop.left, y: crop.top, width: crop.size.width, height: crop.size.height)
    }

    /// All pixels of `image` by libavif, with the matrix and range of the file.
    private func convert(
        _ image: UnsafePointer<avifImage>, to format: PixelFormat
    ) throws(ImageCodecError) -> PixelBuffer {
        let size = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        return try PixelBuffer.decoding(size, format: format) {
            rows, bytesPerRow throws(ImageCodecError) in
            var rgb = avifRGBImage()
            frames.avif.avifRGBImageSetDefaults(&rgb, image)
            rgb.format = AVIF_RGB_FORMAT_RGBA
            rgb.depth = UInt32(format.depth.rawValue)
            // libavif divides the colours of a premultiplied file.
            rgb.alphaPremultiplied = AVIF_FALSE
            rgb.pixels = rows.assumingMemoryBound(to: UInt8.self)
            guard let stride = UInt32(exactly: bytesPerRow) else { throw .tooMuchMemory }
            rgb.rowBytes = stride
            let result = frames.avif.avifImageYUVToRGB(image, &rgb)
            guard result == AVIF_RESULT_OK else { throw AVIFFrames.failure(result, of: nil) }
        }
    }
}
