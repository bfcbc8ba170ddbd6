/// Why bytes could not become an image, or an image bytes.
public enum ImageCodecError: Error, Hashable, Sendable {
    /// No registered codec knows the signature.
    case unknownFormat
    /// The bytes end before the image does.
    case truncated
    /// The bytes break the format's rules; the text is the codec's own word for it.
    case corrupt(String)
    /// The header promises more pixels than `ImageLimits.maximumPixels`, or a side is not positive; also an
    /// image too large for the format it is to be written in.
    case tooLarge(width: Int, height: Int)
    /// The animation has more frames than `ImageLimits.maximumFrames`.
    case tooManyFrames
    /// The frames of the animation have more pixels together than `ImageLimits.maximumAnimationPixels`.
    case tooManyAnimationPixels
    /// The image, or what it takes to decode it, would hold more bytes than
    /// `ImageLimits.maximumFrameBytes`.
    case tooMuchMemory
    /// The system has no memory for an image that is within the limits.
    case outOfMemory
    /// The file has more bytes of metadata than `ImageLimits.maximumMetadataBytes`, or too many pieces of it.
    case tooMuchMetadata
    /// The format's rules are kept but this library does not do what they ask for.
    case unsupported(String)
    /// The image has no pixels to encode.
    case emptyImage
}
