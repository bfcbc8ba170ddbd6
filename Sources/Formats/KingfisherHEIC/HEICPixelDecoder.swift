import CHEIF
import Foundation
import KingfisherCodecSupport

/// Decodes the pixels of an image of a file, or of its thumbnail. Not for concurrent use.
final class HEICPixelDecoder {
    private let file: HEICFile
    private let image: HEICImage
    private let context: HEICContext
    private let colors: HEICColors?
    private let threads: Int

    /// `threads` of libde265 decode an image that is coded as a whole while the caller waits, 0 for none.
    init(
        _ file: HEICFile, _ image: HEICImage, colors: HEICColors?, threads: Int
    ) throws(ImageCodecError) {
        (self.file, self.image, self.colors, self.threads) = (file, image, colors, threads)
        context = try HEICContext(image.source, of: file)
    }

    /// The image upright, cropped and resampled to `target`; itself if that is its size.
    func decode(to target: PixelSize) throws(ImageCodecError) -> DecodedPixels {
        let orientation = image.area.orientation
        let stored = orientation.swapsSides ? target.swapped : target
        try file.limits.check(stored, format: image.format)
        if image.scalesPlanes(to: target), let pixels = try decodePlanes(to: stored) {
            return try pixels.upright(from: orientation)
        }
        let pixels = try image.area.cropped(decodePixels())
        let colors = try colors?.transform(image.source.depth, file.limits)
        guard let alpha = image.alpha else {
            return try DecodedPixels(pixels.resized(to: stored), colors: colors).upright(from: orientation)
        }
        // Averages are weighted by alpha.
        let whole = try pixels.upright(from: orientation).withAlpha(decode(alpha), as: image.format)
        return DecodedPixels(try whole.resized(to: target), colors: colors)
    }

    /// Nil if the planes cannot be scaled: then the pixels are decoded.
    private func decodePlanes(to size: PixelSize) throws(ImageCodecError) -> DecodedPixels? {
        let shrink = HEICPlaneShrink(image, to: size)
        let isConvertible = try shrink.fill { () throws(ImageCodecError) in
            var work = shrink.work
            work.unfiltered = shrink.isSmall ? 1 : 0
            if let grid = image.grid {
                try decodeCells(of: grid, &work, into: shrink)
            } else {
                work.threads = Int32(threads)
                let rest = try context.decode(heif_colorspace_undefined, heif_chroma_undefined, &work)
                if let rest { context.heif.heif_image_release(rest) }
                try shrink.checkFrame()
            }
            shrink.findMatrix(
                codePoints: image.grid == nil
                    ? file.codePoints(of: image.source.id) : image.grid?.codePoints)
        }
        guard isConvertible else { return nil }
        return DecodedPixels(
            try shrink.pixels(), colors: try colors?.transform(image.source.depth, file.limits))
    }

    /// libheif would hold the image as a whole, and convert the colours of each cell.
    private func decodeCells(
        of grid: HEICGrid, _ work: inout kf_heif_work, into shrink: HEICPlaneShrink
    ) throws(ImageCodecError) {
        for (number, cell) in grid.cells.enumerated() {
            shrink.beginCell(number, of: grid)
            grid.parameterSets.withUnsafeBytes { sets in
                withUnsafeMutablePointer(to: &work) { work in
                    kf_heif_set_work(work)
                    kf_heif_take_frame(sets.baseAddress, sets.count, cell.bytes.baseAddress, cell.count)
                    kf_heif_set_work(nil)
                }
            }
            guard work.refused == 0 else { throw .corrupt("a coded image larger than declared") }
            try shrink.checkFrame()
        }
    }

    private func decodePixels() throws(ImageCodecError) -> PixelBuffer {
        let depth = image.source.depth
        return try context.pixels(
            heif_colorspace_RGB,
            depth == .eight ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RRGGBBAA_LE,
            heif_channel_interleaved, as: PixelFormat(layout: .rgba, depth: depth, alpha: .opaque),
            threads: threads)
    }

    /// The alpha samples of the upright image, with its depth.
    private func decode(_ alpha: HEICAlpha) throws(ImageCodecError) -> PixelBuffer {
        // Greyscale as well: libheif 1.15 makes RGB of greyscale grids if the planes are left to it.
        let plane = try HEICContext(alpha.source, of: file).pixels(
            heif_colorspace_YCbCr, heif_chroma_420, heif_channel_Y,
            as: PixelFormat(layout: .gray, depth: alpha.source.depth, alpha: .opaque), threads: 0)
        return try alpha.upright(plane, of: image)
    }
}

extension HEICAlpha {
    /// Its decoded samples as the upright image has them, with the image's depth.
    func upright(_ plane: PixelBuffer, of image: HEICImage) throws(ImageCodecError) -> PixelBuffer {
        try area.cropped(plane.resized(to: area.stored)).upright(from: area.orientation)
            .resized(to: image.displaySize).converted(to: image.planeFormat)
    }
}

extension HEICArea {
    /// The part of the stored pixels; themselves if that is all of them.
    fileprivate func cropped(_ pixels: PixelBuffer) throws(ImageCodecError) -> PixelBuffer {
        guard !isWhole else { return pixels }
        return try pixels.cropped(x: left, y: top, width: size.width, height: size.height)
    }
}

extension PixelBuffer {
    /// RGBA of the same size and depth with `alpha`, which is greyscale.
    func withAlpha(
        _ alpha: PixelBuffer, as target: PixelFormat
    ) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(size, format: target) { rows, stride in
            withUnsafeBytes { colors in
                alpha.withUnsafeBytes { plane in
                    for y in 0..<height {
                        let row = UnsafeMutableRawBufferPointer(
                            start: rows + y * stride, count: width * target.bytesPerPixel)
                        row.copyMemory(
                            from: UnsafeRawBufferPointer(
                                rebasing: colors[(y * bytesPerRow)...].prefix(row.count)))
                        let samples = UnsafeRawBufferPointer(rebasing: plane[(y * alpha.bytesPerRow)...])
                        if target.depth == .eight {
                            row.put(samples, width, as: UInt8.self)
                        } else {
                            row.put(samples, width, as: UInt16.self)
                        }
                    }
                }
            }
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Sets the fourth sample of each of `count` pixels.
    fileprivate func put<Sample>(_ samples: UnsafeRawBufferPointer, _ count: Int, as type: Sample.Type) {
        let (target, source) = (bindMemory(to: Sample.self), samples.bindMemory(to: Sample.self))
        for x in 0..<count { target[4 * x + 3] = source[x] }
    }
}
