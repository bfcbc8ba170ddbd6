/// How an image is fitted to a reference size by the resizing processor.
public enum ContentMode: Sendable {
    /// No fitting: the reference size is used unchanged.
    case none
    /// Keeps the aspect ratio; the image fits inside the reference size.
    case aspectFit
    /// Keeps the aspect ratio; the image covers the reference size.
    case aspectFill
}
