/// One opened file: what its header says, and its pixels on demand.
///
/// `ImageCodec.open(_:)` has read the header and checked it against the limits; everything else is read when
/// it is asked for, on the caller's thread. Safe from any thread, but callers take turns: a decoder may
/// serialize calls.
public protocol ImageDecoder: Sendable {
    /// Size, orientation, and the timing of frames.
    var header: ImageHeader { get }

    /// Whether the file is truncated, as far as can be seen without decoding, or has another defect that
    /// `EncodedFile.acceptsPartialImages` tolerates. False by default.
    ///
    /// Asked for files with `acceptsPartialImages` only: the image of such a file is not cached.
    var endsEarly: Bool { get }

    /// The maximum number of bytes of memory for decoding the first frame to `target`: the pixels and the
    /// decoder's working memory.
    ///
    /// A manager with a memory budget reserves this amount before it decodes. By default, twice the pixels of
    /// a still, at the target if the file can be decoded at any size, and three canvases for an animation.
    func memory(for target: DecodingTarget) -> Int

    /// Decodes the first frame, upright, in sRGB. Of a truncated file that is accepted, missing pixels are
    /// transparent, or black in an opaque image.
    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer

    /// The frames, decoded on demand, with the first one already decoded successfully; nil for a still image,
    /// and by default.
    ///
    /// Of a truncated file that is accepted, the complete frames, and nil if only a still can be decoded. The
    /// `data` of the source are a file with exactly these frames.
    func frames() throws(ImageCodecError) -> (any ImageFrameSource)?

    /// Reads the metadata blocks without decoding pixels; see `CodecCapabilities.readsMetadata`.
    ///
    /// The result has at most `ImageMetadataBlocks.maximumBytes`. Malformed blocks are ignored; throws only
    /// for a file whose structure is malformed. The default has no blocks.
    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks
}

extension ImageDecoder {
    public var endsEarly: Bool { false }

    public func memory(for target: DecodingTarget) -> Int {
        var header = header
        if let size = target.size, header.scalableSize != nil { header.size = size }
        return header.decodingMemory
    }

    public func frames() throws(ImageCodecError) -> (any ImageFrameSource)? { nil }

    public func metadata() throws(ImageCodecError) -> ImageMetadataBlocks { ImageMetadataBlocks() }
}

/// How large the first frame is to be decoded, in upright pixels.
public enum DecodingTarget: Hashable, Sendable {
    /// As large as the file.
    case full
    /// At least as large on each side: the decoder may return fewer pixels than the file has, with the same
    /// aspect ratio, and the caller shrinks them. A file that can be decoded at any size also gives more
    /// (`ImageHeader.scalableSize`).
    case atLeast(PixelSize)
    /// Exactly as large, which is not larger than the file, unless that can be decoded at any size.
    ///
    /// A decoder without a faster path decodes at least twice as many pixels on each side, resamples them,
    /// and converts colours last (``DecodedPixels``).
    case exactly(PixelSize)

    /// The size; nil for the file's size.
    public var size: PixelSize? {
        switch self {
        case .full: nil
        case .atLeast(let size), .exactly(let size): size
        }
    }

    /// The size that the pixels must have at least before they are resampled; nil for the file's size.
    public var minimumSize: PixelSize? {
        switch self {
        case .full: nil
        case .atLeast(let size): size
        case .exactly(let size): size.doubled
        }
    }

    /// The same target for pixels as the file stores them, before they are turned upright.
    public func stored(_ orientation: Image.Orientation) -> DecodingTarget {
        guard orientation.swapsSides else { return self }
        return switch self {
        case .full: .full
        case .atLeast(let size): .atLeast(size.swapped)
        case .exactly(let size): .exactly(size.swapped)
        }
    }
}

extension PixelSize {
    /// Twice the size, which gives a resampling filter enough input. A side that would overflow stays.
    public var doubled: PixelSize {
        func twice(_ side: Int) -> Int {
            let (result, overflow) = side.multipliedReportingOverflow(by: 2)
            return overflow ? side : result
        }
        return PixelSize(width: twice(width), height: twice(height))
    }
}
