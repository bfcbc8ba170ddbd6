import CJPEG
import CKernels
package import Foundation

/// JPEG with libjpeg-turbo: baseline and progressive, greyscale, colour and CMYK, oriented by EXIF.
///
/// Decodes at n/8 of the file's size where that is enough. At 1/8 it skips progressive scans without DC
/// coefficients, so corrupt data in them is not detected (decision 037). Greyscale stays greyscale. CMYK
/// becomes RGB by the file's profile, or without one by multiplication. A file without an end-of-image marker
/// is `truncated` at any size, unless the caller accepts partial images.
package struct JPEGCodec: DeferredColorCodec {
    /// The maximum number of scans of a progressive file; encoders write about ten, malicious files
    /// thousands.
    ///
    /// Each scan visits every block, so the limit decreases with the area: 500 up to 10 megapixels, 50 at
    /// 100. libjpeg took 8.7 seconds for 490 scans of 100 megapixels in 275 KB.
    static func maximumScans(of size: PixelSize) -> Int {
        min(max(5_000_000_000 / max(size.area, 1), 50), 500)
    }

    package init() {}

    package var format: ImageFormat { .JPEG }
    package var fileExtensions: [String] { ["jpg", "jpeg", "jpe"] }
    package var keepsFileBytes: Bool { false }
    package var capabilities: CodecCapabilities {
        [
            .decodesSmall, .encodesStills, .encodesLossy, .encodesChroma, .encodesProgressive,
            .encodesEffort, .readsMetadata, .writesMetadata,
        ]
    }
    package var version: String {
        let number = Int(kf_jpeg_version())
        return "libjpeg-turbo \(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0xFF, 0xD8, 0xFF])
    }

    package func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        let frame = try data.reading(JPEGFrameHeader.init(scanning:))
        try ImageLimits.check(frame.size)
        var header = ImageHeader(size: frame.size)
        header.orientation = frame.orientation
        header.bitsPerComponent = frame.precision
        return header
    }

    package func endsEarly(_ data: Data) -> Bool {
        (try? data.reading { Self.endsEarly($0) }) ?? false
    }

    private static func endsEarly(_ reader: ByteReader) -> Bool {
        do throws(ImageCodecError) {
            return try !JPEGCoarseFile.hasEnd(reader, from: JPEGFrameHeader(scanning: reader).firstScan)
        } catch {
            return error == .truncated
        }
    }

    package func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let frame = try supportedFrame(of: reader)
            let stored = frame.orientation.swapsSides ? minimumSize?.swapped : minimumSize
            let scale = JPEGScale(atLeast: stored, of: frame.size)
            return try storedPixels(reader, frame, scale, acceptsPart: acceptsPartialImages)
                .upright(from: frame.orientation)
        }
    }

    package func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let frame = try supportedFrame(of: reader)
            let stored = frame.orientation.swapsSides ? target.swapped : target
            let scale = JPEGScale(shrinking: frame.size, to: stored, isProgressive: frame.isProgressive)
            // Orienting first would move partial pixels away from the far edges, where the filter expects
            // them.
            return try storedPixels(
                reader, frame, scale, shrunkTo: stored, acceptsPart: acceptsPartialImages
            )
            .resized(to: stored).upright(from: frame.orientation)
        }
    }

    private func supportedFrame(of reader: ByteReader) throws(ImageCodecError) -> JPEGFrameHeader {
        let frame = try JPEGFrameHeader(scanning: reader)
        try ImageLimits.check(frame.size)
        try frame.checkSupport()
        return frame
    }

    /// The file at the scale, or already shrunk to `target`, if decoding it can do both.
    private func storedPixels(
        _ reader: ByteReader, _ frame: JPEGFrameHeader, _ scale: JPEGScale, shrunkTo target: PixelSize? = nil,
        acceptsPart: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        let colors = frame.colors
        // A complete file must be valid, even if the caller accepts partial images.
        let isPart = acceptsPart && Self.endsEarly(reader)
        let pixels = try read(
            reader, frame: frame, scale: scale, target: target, keepsInks: colors != nil, isPart: isPart)
        return DecodedPixels(pixels, colors: colors)
    }

    private func read(
        _ reader: ByteReader, frame: JPEGFrameHeader, scale: JPEGScale, target: PixelSize?, keepsInks: Bool,
        isPart: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        let maximumScans = Self.maximumScans(of: frame.size)
        if scale.eighths == 1,
            let coarse = JPEGCoarseFile(reader, frame: frame, maximumScans: maximumScans)
        {
            return try coarse.bytes(of: reader).reading { reader throws(ImageCodecError) in
                if let decoder = JPEGCoarseDecoder(reader, frame: frame),
                    let pixels = try read(frame: frame, scale: scale, by: decoder.decode)
                {
                    return pixels
                }
                return try readAll(reader, frame: frame, scale: scale, keepsInks: keepsInks)
            }
        }
        if !isPart, let decoder = JPEGBaselineDecoder(reader, frame: frame, scale: scale), decoder.isFaster,
            let pixels = try read(decoder, frame: frame, scale: scale, target: target)
        {
            return pixels
        }
        return try readAll(reader, frame: frame, scale: scale, keepsInks: keepsInks, isPart: isPart)
    }

    /// The file, shrunk to `target` while it is decoded, if one step of the filter is enough: the image
    /// between is never in memory as a whole then. Nil if libjpeg must decode the file.
    private func read(
        _ decoder: JPEGBaselineDecoder, frame: JPEGFrameHeader, scale: JPEGScale, target: PixelSize?
    ) throws(ImageCodecError) -> PixelBuffer? {
        guard let target,
            PixelBuffer.isFilteredInOneStep(from: decoder.size, extent: decoder.extent, to: target)
        else { return try read(frame: frame, scale: scale, by: decoder.decode) }
        let window = PixelBuffer.filterWindow(of: decoder.size, extent: decoder.extent, to: target)
        guard let rows = JPEGRows(decoder, window: window) else { return nil }
        let pixels = try PixelBuffer.resampled(rows, to: target)
        // The filter may not need the last rows, but the whole file must be valid.
        return rows.draw(upTo: decoder.size.height) ? pixels : nil
    }

    /// Nil if libjpeg must decode the file.
    private func read(
        frame: JPEGFrameHeader, scale: JPEGScale, by decode: (kf_jpeg_output) -> Bool
    ) throws(ImageCodecError) -> PixelBuffer? {
        let size = scale.applied(to: frame.size)
        var isDecoded = false
        let pixels = try PixelBuffer.decoding(
            size, format: frame.components == 1 ? .gray8 : .rgba8Opaque, extent: scale.extent(of: frame.size)
        ) { rows, bytesPerRow in
            isDecoded = decode(
                kf_jpeg_output(
                    rows: rows.assumingMemoryBound(to: UInt8.self), bytes_per_row: bytesPerRow,
                    row_count: UInt32(size.height), width: UInt32(size.width), height: UInt32(size.height)))
        }
        return isDecoded ? pixels : nil
    }

    private func readAll(
        _ reader: ByteReader, frame: JPEGFrameHeader, scale: JPEGScale, keepsInks: Bool, isPart: Bool = false
    ) throws(ImageCodecError) -> PixelBuffer {
        let size = scale.applied(to: frame.size)
        let (format, samples): (PixelFormat, kf_jpeg_samples) =
            switch frame.components {
            case 1: (.gray8, KF_JPEG_GRAY)
            case 4 where keepsInks: (.rgba8Opaque, KF_JPEG_INKS)
            default: (.rgba8Opaque, KF_JPEG_RGBA)
            }
        return try PixelBuffer.decoding(size, format: format, extent: scale.extent(of: frame.size)) {
            rows, bytesPerRow throws(ImageCodecError) in
            let image = kf_jpeg_image(
                rows: rows.assumingMemoryBound(to: UInt8.self), bytes_per_row: bytesPerRow,
                width: UInt32(size.width), height: UInt32(size.height), samples: samples)
            // The limit minus the rows, which have been checked already.
            let limits = kf_jpeg_limits(
                memory: max(0, ImageLimits.maximumFrameBytes - bytesPerRow * size.height),
                scans: Int32(Self.maximumScans(of: frame.size)), accepts_part: isPart)
            try JPEGStatus.check { message in
                kf_jpeg_decode(
                    reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count,
                    Int32(scale.eighths), limits, image, message)
            }
        }
    }
}

extension JPEGFrameHeader {
    fileprivate var colors: ICCTransform? {
        switch components {
        case 1: profile.colors(of: .gray(.eight, alpha: false))
        case 4: profile.colors(of: .inks)
        default: profile.colors(of: .rgb(.eight))
        }
    }
}
