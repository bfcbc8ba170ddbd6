public import Foundation

/// Reads and writes one file format; the extension point for formats (see `ImageCodecs.register`).
///
/// One value serves all threads. It stores nothing between calls, and every call works on the caller's
/// thread.
///
/// Decoders check `ImageLimits` from the header before they allocate, apply the file's orientation to the
/// pixels, and throw `ImageCodecError` on malformed data. An image that they return is complete, unless the
/// caller accepts partial ones.
public protocol ImageCodec: Sendable {
    /// The format that this codec reads, and writes if it can.
    var format: ImageFormat { get }

    /// The file name extensions, lower case, without a dot, the preferred one first; by default the format's
    /// name.
    var fileExtensions: [String] { get }

    /// The media type of the format's files; by default `image/` and the format's name in lower case.
    var mediaType: String { get }

    /// Whether the default cache serializer stores the original bytes of an unchanged image in this format.
    /// The bytes then stay in memory with the pixels. The default is true; PNG and JPEG are always encoded
    /// again.
    var keepsFileBytes: Bool { get }

    /// What the codec supports besides decoding 8-bit stills; by default it encodes stills losslessly with
    /// alpha.
    var capabilities: CodecCapabilities { get }

    /// The library and version that do the work, such as `libwebp 1.2.4`, for reports; empty by default.
    var version: String { get }

    /// Whether `bytes` (a file or its start, at least 9 bytes) are of this format.
    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Reads size, orientation, and the timing of frames without decoding pixels.
    func header(of data: Data) throws(ImageCodecError) -> ImageHeader

    /// The maximum number of bytes of memory for decoding the first frame, from the header: the pixels and
    /// the decoder's working memory. With `target` (upright pixels) the frame is to be shrunk to that size.
    ///
    /// A manager with a memory budget reserves this amount before it decodes. By default, twice the pixels of
    /// a still, at `target` if the file can be decoded at any size, and three canvases for an animation.
    func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int

    /// Reads the header of a file that may be truncated, for a caller that accepts a partial image.
    ///
    /// The default implementation reads complete files only, as every implementation does if
    /// `acceptsPartialImages` is false.
    func header(of data: Data, acceptsPartialImages: Bool) throws(ImageCodecError) -> ImageHeader

    /// Decodes the first frame, upright.
    ///
    /// With `minimumSize` (upright pixels) the codec may return fewer pixels than the file has, with the same
    /// aspect ratio, but at least `minimumSize` on each side; the caller shrinks the result. A file that can
    /// be decoded at any size also gives more (`ImageHeader.scalableSize`).
    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer

    /// Decodes the first frame as `decode(_:minimumSize:)` does, with `acceptsPartialImages` also a truncated
    /// one. Missing pixels are transparent, or black in an opaque image.
    ///
    /// The default implementation reads complete files only.
    func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer

    /// Whether a file is truncated, as far as can be seen without decoding, or has another defect that
    /// `acceptsPartialImages` tolerates.
    ///
    /// Called if `acceptsPartialImages` is set: the image of such a file is not cached. The default is false.
    func endsEarly(_ data: Data) -> Bool

    /// The frames of a file, decoded on demand, with the first one already decoded successfully; nil for a
    /// still image.
    func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)?

    /// The complete frames of a file that may be truncated, for a caller that accepts partial images.
    ///
    /// Nil also if only a still can be decoded. The `data` of the source are a file with exactly these
    /// frames. The default implementation reads complete files only.
    func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)?

    /// Encodes one image; equal pixels and options give equal bytes.
    func encode(_ pixels: PixelBuffer, options: ImageEncodingOptions) throws(ImageCodecError) -> Data

    /// Encodes an animation with delays and loop count as exact as the format allows; nil for formats without
    /// animation.
    ///
    /// A single frame is encoded as a still. Work on a copy of `frames`, because they may be playing. Throws
    /// `emptyImage` without frames, `tooManyFrames` for more than `ImageLimits.maximumFrames`,
    /// `tooManyAnimationPixels` for too many pixels in all frames, `unsupported` for frames of different
    /// sizes, and `corrupt` for a frame that cannot be decoded.
    func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data?

    /// Reads the metadata blocks of a file without decoding pixels; see `CodecCapabilities.readsMetadata`.
    ///
    /// The file is untrusted, and the result has at most `ImageMetadataBlocks.maximumBytes`. Malformed blocks
    /// are ignored; throws only for a file whose structure is malformed. The default has no blocks.
    func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks

    /// Writes EXIF, XMP and IPTC of `blocks` into a copy of `file` instead of all its metadata, without
    /// encoding pixels again; see `CodecCapabilities.writesMetadata`.
    ///
    /// The colour profile stays, and without an EXIF block the orientation. Blocks for which the format has
    /// no place are omitted. The default throws `unsupported`.
    func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data
}

extension ImageCodec {
    public var fileExtensions: [String] { [format.name.lowercased()] }

    public var mediaType: String { "image/\(format.name.lowercased())" }

    public var keepsFileBytes: Bool { true }

    public var capabilities: CodecCapabilities { [.encodesStills, .encodesLossless, .encodesAlpha] }

    public var version: String { "" }

    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        var header = try header(of: data, acceptsPartialImages: true)
        if let target, header.scalableSize != nil { header.size = target }
        return header.decodingMemory
    }

    public func header(
        of data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> ImageHeader {
        try header(of: data)
    }

    public func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        try decode(data, minimumSize: minimumSize)
    }

    public func endsEarly(_ data: Data) -> Bool { false }

    public func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? { nil }

    public func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        try frameSource(for: data)
    }

    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        throw .unsupported("encoding \(format)")
    }

    public func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? { nil }

    public func metadataBlocks(of data: Data) throws(ImageCodecError) -> ImageMetadataBlocks {
        ImageMetadataBlocks()
    }

    public func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        throw .unsupported("writing metadata of \(format)")
    }
}
