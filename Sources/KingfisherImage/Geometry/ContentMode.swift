/// How an image is fitted to a reference size by the resizing processor.
public enum ContentMode: Sendable {
    /// Not at all: the reference size is taken as it is.
    case none
    /// Proportions kept, wholly inside.
    case aspectFit
    /// Proportions kept, wholly covering.
    case aspectFill
}
