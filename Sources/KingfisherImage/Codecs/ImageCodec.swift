public import Foundation

/// Reads and writes one file format: the seam through which formats are added (see `ImageCodecs.register`).
///
/// One value serves every thread; nothing is kept between calls, and every call works on the caller's thread.
///
/// Decoders check `ImageLimits` from the header before they allocate, apply the file's orientation to the
/// pixels, and throw `ImageCodecError` on anything broken: an image they return is whole, unless the caller
/// accepts partial ones.
public protocol ImageCodec: Sendable {
    /// The format that this codec reads, and writes where it can.
    var format: ImageFormat { get }

    /// The extensions of file names, lower case, without a dot, the usual one first; by default the format's
    /// name.
    var fileExtensions: [String] { get }

    /// The media type of the format's files; by default `image/` and the format's name in lower case.
    var mediaType: String { get }

    /// Whether an image that was not changed is stored as the bytes it came in, where that is its format, by
    /// the default cache serializer. Its bytes then stay in memory beside the pixels. True unless said
    /// otherwise; PNG and JPEG are always written anew.
    var keepsFileBytes: Bool { get }

    /// What the codec can do beside decoding stills of 8 bits; by default it writes stills without loss, with
    /// alpha.
    var capabilities: CodecCapabilities { get }

    /// What does the work and its version, such as `libwebp 1.2.4`, for reports; empty by default.
    var version: String { get }

    /// Whether `bytes` (a file or the beginning of one, at least 9 bytes) are of this format.
    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Reads size, orientation, and the frames' timing without decoding pixels.
    func header(of data: Data) throws(ImageCodecError) -> ImageHeader

    /// Bytes of memory that decoding the first frame takes at most, told from the header: pixels, and what
    /// the decoder holds beside them. With `target` (upright pixels) the frame is to be shrunk to that size.
    ///
    /// A manager with a memory budget reserves as much before it decodes. Unless said otherwise, the pixels
    /// of a still twice, and three canvases for an animation.
    func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int

    /// Reads the same of a file that may end early, for a caller that accepts what arrived of it.
    ///
    /// A codec that does not implement it reads whole files only; so does one that does where
    /// `acceptsPartialImages` is false.
    func header(of data: Data, acceptsPartialImages: Bool) throws(ImageCodecError) -> ImageHeader

    /// Decodes the first frame, upright.
    ///
    /// With `minimumSize` (upright pixels) the codec may return fewer pixels than the file has, in the same
    /// proportions, but never fewer than `minimumSize` on either side: the caller shrinks the rest.
    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer

    /// Decodes the first frame as `decode(_:minimumSize:)` does; with `acceptsPartialImages` also one whose
    /// file ends before it: what never arrived is transparent, or black in an opaque image.
    ///
    /// A codec that does not implement it reads whole files only.
    func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer

    /// Whether a file of this format ends before its image does, as far as can be told without decoding, or
    /// lacks something else that `acceptsPartialImages` overlooks.
    ///
    /// Asked where `acceptsPartialImages` is set: what was made of such a file is not kept in caches. False
    /// unless said otherwise.
    func endsEarly(_ data: Data) -> Bool

    /// The frames of a file, decoded on demand, the first one already found whole; nil for a still of a
    /// format whose stills have no frames.
    func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)?

    /// The frames that arrived of a file that may end early, for a caller that accepts those; whole ones
    /// only.
    ///
    /// Nil also where a still is all there is. The `data` of the source are a file that holds these frames
    /// and no others. A codec that does not implement it reads whole files only.
    func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)?

    /// Encodes one image; equal pixels and options give equal bytes.
    func encode(_ pixels: PixelBuffer, options: ImageEncodingOptions) throws(ImageCodecError) -> Data

    /// Encodes an animation, its delays and loop count as exactly as the format can say them; nil for formats
    /// without animation.
    ///
    /// A single frame is written as the still that it is. Work on a copy of `frames`: somebody may be playing
    /// them. Throws `emptyImage` where there are none, `tooManyFrames` for more than
    /// `ImageLimits.maximumFrames`, `tooManyAnimationPixels` for frames too large for their number,
    /// `unsupported` for frames of different sizes, `corrupt` for one that cannot be had.
    func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data?
}

extension ImageCodec {
    public var fileExtensions: [String] { [format.name.lowercased()] }

    public var mediaType: String { "image/\(format.name.lowercased())" }

    public var keepsFileBytes: Bool { true }

    public var capabilities: CodecCapabilities { [.encodesStills, .encodesLossless, .encodesAlpha] }

    public var version: String { "" }

    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try header(of: data, acceptsPartialImages: true).decodingMemory
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
}
