public import Foundation

/// Reads and writes one file format; the extension point for formats (see `ImageCodecs.register`).
///
/// One value serves all threads, and every call works on the caller's thread. What a file needs between calls
/// is in the decoder that ``open(_:)`` returns.
///
/// Codecs and decoders check limits from the header before they allocate, apply the file's orientation to the
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

    /// Reads the header of a file, checks it against the file's limits, and returns the decoder for all
    /// further questions.
    ///
    /// Decodes nothing and allocates no memory for pixels, except for a truncated file that is accepted: its
    /// complete part may have to be found by decoding. Without `EncodedFile.acceptsPartialImages`, a file is
    /// complete, or `truncated` is thrown, here or by the decoder. A format that cannot decode truncated
    /// files ignores it.
    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder

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

    /// Writes EXIF, XMP and IPTC of `blocks` into a copy of `file` instead of all its metadata, without
    /// encoding pixels again; see `CodecCapabilities.writesMetadata`.
    ///
    /// The colour profile and a gain map stay, and without an EXIF block the orientation. Blocks for which
    /// the format has no place are omitted. The default throws `unsupported`.
    func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data

    /// The gain map of a file of this format, found without decoding pixels; nil without one that can be
    /// read, and by default. Malformed files have none.
    func gainMap(in file: Data) -> GainMap?

    /// A copy of `file`, which has no gain map, with a gain map that is a file of this format; see
    /// `CodecCapabilities.encodesGainMaps`.
    ///
    /// The pixels of the base image are not encoded again. The default throws `unsupported`.
    func adding(_ gainMap: GainMap, to file: Data) throws(ImageCodecError) -> Data
}

extension ImageCodec {
    public var fileExtensions: [String] { [format.name.lowercased()] }

    public var mediaType: String { "image/\(format.name.lowercased())" }

    public var keepsFileBytes: Bool { true }

    public var capabilities: CodecCapabilities { [.encodesStills, .encodesLossless, .encodesAlpha] }

    public var version: String { "" }

    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        throw .unsupported("encoding \(format)")
    }

    public func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? { nil }

    public func replacingMetadata(
        of file: Data, with blocks: ImageMetadataBlocks
    ) throws(ImageCodecError) -> Data {
        throw .unsupported("writing metadata of \(format)")
    }

    public func gainMap(in file: Data) -> GainMap? { nil }

    public func adding(_ gainMap: GainMap, to file: Data) throws(ImageCodecError) -> Data {
        throw .unsupported("gain maps of \(format)")
    }
}
