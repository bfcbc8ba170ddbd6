public import Foundation
public import KingfisherCodecSupport

extension JPEGXLCodec {
    /// Encodes with libjxl in sRGB: lossy, or lossless with all samples of transparent pixels.
    ///
    /// Samples keep their 8 or 16 bits, and greyscale stays greyscale. The quality is the same as in the tool
    /// `cjxl`: 0.9 has no visible loss, 1 is lossy, but nearer. Alpha is straight. Equal pixels and options
    /// give equal bytes. Without `effort` in the options, an image of at most 0.25 megapixels takes libjxl's
    /// effort 5 of 9, and a larger one 3. A side above 262,144 pixels is `tooLarge`.
    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        let encoder = try Self.encoder(of: pixels.size, options)
        var pixels = pixels
        if pixels.format.alpha == .premultiplied {
            pixels = try pixels.converted(
                to: PixelFormat(layout: pixels.format.layout, depth: pixels.format.depth, alpha: .straight))
        }
        try encoder.begin(pixels.size, pixels.format, distance: Self.distance(options))
        try encoder.add(pixels)
        return try encoder.file()
    }

    /// Encodes an animation of whole frames in RGB, each independent of the others.
    ///
    /// Delays are whole milliseconds, at least one, rounded so that the sum does not drift. One frame is in
    /// memory at a time, in addition to the file.
    public func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            let first = try frames.frame(at: 0)
            var isOpaque = true
            for number in 0..<frames.count where isOpaque {
                isOpaque = try frames.frame(at: number).format.isOpaque
            }
            let format = PixelFormat(
                layout: .rgba, depth: first.format.depth, alpha: isOpaque ? .opaque : .straight)
            let encoder = try Self.encoder(of: first.size, options)
            try encoder.begin(
                first.size, format, distance: Self.distance(options), plays: max(frames.loopCount, 0))
            var (seconds, milliseconds) = (0.0, 0)
            for number in 0..<frames.count {
                let frame = try frames.frame(at: number)
                guard frame.size == first.size else { throw .unsupported("frames of different sizes") }
                let duration = frames.duration(at: number)
                seconds += duration.isNaN ? 0 : min(max(duration, 0), 86_400)
                let delay = max(1, Int((seconds * 1_000).rounded()) - milliseconds)
                milliseconds += delay
                try encoder.add(frame.converted(to: format), milliseconds: delay)
                // The last frame is marked as such when the file is closed.
                if number < frames.count - 1 { try encoder.drain() }
            }
            return try encoder.file()
        }
    }

    private static func encoder(
        of size: PixelSize, _ options: ImageEncodingOptions
    ) throws(ImageCodecError) -> JPEGXLEncoder {
        // The limit of codestreams of level 5, which all decoders read.
        guard max(size.width, size.height) <= 1 << 18 else {
            throw .tooLarge(width: size.width, height: size.height)
        }
        return try JPEGXLEncoder(effort: effort(options) ?? effort(for: size))
    }

    /// libjxl's levels are 1...9.
    private static func effort(_ options: ImageEncodingOptions) -> Int? {
        options.effort(upTo: 8).map { $0 + 1 }
    }

    private static func effort(for size: PixelSize) -> Int {
        size.area <= 262_144 ? 5 : 3
    }

    private static func distance(_ options: ImageEncodingOptions) -> Float {
        options.isLossless ? 0 : distance(for: options.quality)
    }

    /// The distance of Butteraugli for a quality, as `JxlEncoderDistanceFromQuality` of libjxl 0.9 has it; at
    /// least 0.1.
    private static func distance(for quality: Double) -> Float {
        let quality = quality.isNaN ? 100 : min(max(quality, 0), 1) * 100
        if quality >= 30 { return Float(0.1 + (100 - quality) * 0.09) }
        return Float(53.0 / 3_000 * quality * quality - 23.0 / 20 * quality + 25)
    }
}
