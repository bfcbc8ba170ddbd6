/// Why bytes could not become a picture, or a picture bytes.
public enum ImageCodecError: Error, Hashable, Sendable {
    /// No registered codec knows the signature.
    case unknownFormat
    /// The bytes end before the picture does.
    case truncated
    /// The bytes break the format's rules; the text is the codec's own word for it.
    case corrupt(String)
    /// The header promises more pixels than `ImageLimits` allow, or a side is not positive.
    case tooLarge(width: Int, height: Int)
    /// The format's rules are kept but this library does not do what they ask for.
    case unsupported(String)
    /// The picture has no pixels to encode.
    case emptyImage
}
