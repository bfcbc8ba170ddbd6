/// An error of decoding or encoding an image.
public enum ImageCodecError: Error, Hashable, Sendable {
    /// No registered codec recognizes the signature.
    case unknownFormat
    /// The bytes end before the image does.
    case truncated
    /// The bytes violate the format; the text is a detail from the codec.
    case corrupt(String)
    /// The header declares more pixels than `ImageLimits.maximumPixels`, or a side is not positive; or the
    /// image is too large for the format to encode.
    case tooLarge(width: Int, height: Int)
    /// The animation has more frames than `ImageLimits.maximumFrames`.
    case tooManyFrames
    /// All frames of the animation together have more pixels than `ImageLimits.maximumAnimationPixels`.
    case tooManyAnimationPixels
    /// The image, or the memory for decoding it, would exceed `ImageLimits.maximumFrameBytes`.
    case tooMuchMemory
    /// The system cannot allocate memory for an image within the limits.
    case outOfMemory
    /// The file has more bytes of metadata than `ImageLimits.maximumMetadataBytes`, or too many metadata
    /// items.
    case tooMuchMetadata
    /// The file is valid, but this library does not support a feature that it uses.
    case unsupported(String)
    /// No attempt gave a file of at most `limit` bytes (`ImageEncodingOptions.maximumBytes`); the smallest
    /// one had `smallest`.
    case tooManyBytes(smallest: Int, limit: Int)
    /// The image has no pixels to encode.
    case emptyImage
    /// The decoder runs in another process (`DecodingStrategy`) and failed there.
    case decoderFailed(DecoderFailure)
}
