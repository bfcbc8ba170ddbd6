import CJPEG
import CKernels

/// One JPEG file, whose markers up to the first scan have been read.
struct JPEGDecoder: ImageDecoder {
    private let file: EncodedFile
    private let frame: JPEGFrameHeader

    /// The maximum number of scans of a progressive file; encoders write about ten, malicious files
    /// thousands.
    ///
    /// Each scan visits every block, so the limit decreases with the area: 500 up to 10 megapixels, 50 at
    /// 100. libjpeg took 8.7 seconds for 490 scans of 100 megapixels in 275 KB.
    static func maximumScans(of size: PixelSize) -> Int {
        min(max(5_000_000_000 / max(size.area, 1), 50), 500)
    }

    init(_ file: EncodedFile) throws(ImageCodecError) {
        self.file = file
        frame = try JPEGFrameHeader(scanning: file.reader)
        try file.limits.check(frame.size)
    }

    /// A JPEG within another file, which may state the orientation.
    init(_ file: EncodedFile, orientation: Image.Orientation?) throws(ImageCodecError) {
        self.file = file
        var frame = try JPEGFrameHeader(scanning: file.reader)
        try frame.checkSupport()
        try file.limits.check(frame.size)
        if let orientation { frame.orientation = orientation }
        self.frame = frame
    }

    var header: ImageHeader {
        var header = ImageHeader(size: frame.size)
        header.orientation = frame.orientation
        header.bitsPerComponent = frame.precision
        return header
    }

    /// Nil for a file that must be decoded as a whole.
    var regions: JPEGRegions? { JPEGRegions(file, frame, header) }

    var endsEarly: Bool {
        file.reading { !JPEGCoarseFile.hasEnd($0, from: frame.firstScan) }
    }

    func memory(for target: DecodingTarget) -> Int {
        let pixels = PixelBuffer.byteCount(
            of: scale(for: target.stored(frame.orientation)).applied(to: frame.size),
            format: frame.components == 1 ? .gray8 : .rgba8Opaque)
        // For a progressive file libjpeg holds all coefficients, two bytes each, at any output size.
        let coefficients = frame.isProgressive ? 2 * frame.components * frame.size.area : 0
        let section =
            !frame.isProgressive && file.data.count >= JPEGBaselineDecoder.minimumScanBytes
            ? JPEGBaselineDecoder.workingBytes(
                width: frame.size.width, blocks: frame.components * frame.size.area / 64) : 0
        // Orientation or further shrinking creates a second image.
        let isRemade = frame.orientation != .up || target != .full
        return pixels * (isRemade ? 2 : 1) + coefficients + section
    }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try frame.checkSupport()
        let colors = frame.colors
        let stored = target.stored(frame.orientation)
        let pixels = try file.reading { reader throws(ImageCodecError) in
            try read(
                reader, stored, keepsInks: colors != nil, isPart: file.acceptsPartialImages && endsEarly)
        }
        // Orienting first would move partial pixels away from the far edges, where the filter expects them.
        return try DecodedPixels(pixels, colors: colors).resized(to: stored)
            .upright(from: frame.orientation).finished()
    }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.reading(JPEGMetadataParts.blocks(of:))
    }

    /// For pixels as they are stored.
    private func scale(for target: DecodingTarget) -> JPEGScale {
        switch target {
        case .full: JPEGScale(atLeast: nil, of: frame.size)
        case .atLeast(let size): JPEGScale(atLeast: size, of: frame.size)
        case .exactly(let size):
            JPEGScale(shrinking: frame.size, to: size, isProgressive: frame.isProgressive)
        }
    }

    private func read(
        _ reader: ByteReader, _ target: DecodingTarget, keepsInks: Bool, isPart: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        let scale = scale(for: target)
        let maximumScans = Self.maximumScans(of: frame.size)
        if scale.eighths == 1,
            let coarse = JPEGCoarseFile(reader, frame: frame, maximumScans: maximumScans)
        {
            return try file.with(coarse.bytes(of: reader)).reading { reader throws(ImageCodecError) in
                if let decoder = JPEGCoarseDecoder(reader, frame: frame),
                    let pixels = try read(scale: scale, by: decoder.decode)
                {
                    return pixels
                }
                return try readAll(reader, scale: scale, keepsInks: keepsInks)
            }
        }
        if !isPart, let decoder = JPEGBaselineDecoder(reader, frame: frame, scale: scale), decoder.isFaster,
            let pixels = try read(decoder, scale: scale, target: target)
        {
            return pixels
        }
        return try readAll(reader, scale: scale, keepsInks: keepsInks, isPart: isPart)
    }

    /// The file, shrunk to `target` while it is decoded, if one step of the filter is enough: the image
    /// between is never in memory as a whole then. Nil if libjpeg must decode the file.
    private func read(
        _ decoder: JPEGBaselineDecoder, scale: JPEGScale, target: DecodingTarget
    ) throws(ImageCodecError) -> PixelBuffer? {
        guard case .exactly(let target) = target,
            PixelBuffer.isFilteredInOneStep(from: decoder.size, extent: decoder.extent, to: target)
        else { return try read(scale: scale, by: decoder.decode) }
        let window = PixelBuffer.filterWindow(of: decoder.size, extent: decoder.extent, to: target)
        guard let rows = JPEGRows(decoder, window: window) else { return nil }
        let pixels = try PixelBuffer.resampled(rows, to: target)
        // The filter may not need the last rows, but the whole file must be valid.
        return rows.draw(upTo: decoder.size.height) ? pixels : nil
    }

    /// Nil if libjpeg must decode the file.
    private func read(
        scale: JPEGScale, by decode: (kf_jpeg_output) -> Bool
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
        _ reader: ByteReader, scale: JPEGScale, keepsInks: Bool, isPart: Bool = false
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
                memory: max(0, file.limits.maximumFrameBytes - bytesPerRow * size.height),
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
    var colors: ICCTransform? {
        switch components {
        case 1: profile.colors(of: .gray(.eight, alpha: false))
        case 4: profile.colors(of: .inks)
        default: profile.colors(of: .rgb(.eight))
        }
    }
}
