/// Changes an image's appearance just before it is handed out, not what is cached.
///
/// Runs on the thread that delivers the result, and never fails: an error leaves the image as it was.
public protocol ImageModifier: Sendable {
    /// The image to hand out in place of `image`.
    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage
}

/// A modifier made of a closure.
public struct AnyImageModifier: ImageModifier {
    private let block: @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage

    /// Changes images by `modify`; one that throws changes nothing.
    public init(modify: @escaping @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage) {
        block = modify
    }

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        (try? block(image)) ?? image
    }
}

/// Sets the rendering mode.
public struct RenderingModeImageModifier: ImageModifier {
    /// The mode that images get.
    public let renderingMode: Image.RenderingMode

    /// Gives images `renderingMode`.
    public init(renderingMode: Image.RenderingMode = .automatic) {
        self.renderingMode = renderingMode
    }

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.withRenderingMode(renderingMode)
    }
}

/// Mirrors the image where text runs from right to left.
public struct FlipsForRightToLeftLayoutDirectionImageModifier: ImageModifier {
    public init() {}

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.imageFlippedForRightToLeftLayoutDirection()
    }
}

/// Sets the alignment insets.
public struct AlignmentRectInsetsImageModifier: ImageModifier {
    /// The insets that images get, in points.
    public let alignmentInsets: EdgeInsets

    /// Gives images `alignmentInsets`, in points.
    public init(alignmentInsets: EdgeInsets) {
        self.alignmentInsets = alignmentInsets
    }

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.withAlignmentRectInsets(alignmentInsets)
    }
}
