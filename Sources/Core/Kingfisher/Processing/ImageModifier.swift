/// Modifies an image before delivery, but not the cached image.
///
/// Runs on the thread that delivers the result. It cannot fail: after an error, the image is unchanged.
public protocol ImageModifier: Sendable {
    /// Returns the image to deliver in place of `image`.
    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage
}

/// A modifier that calls a closure.
public struct AnyImageModifier: ImageModifier {
    private let block: @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage

    /// Creates a modifier that calls `modify`; if it throws, the image is unchanged.
    public init(modify: @escaping @Sendable (KFCrossPlatformImage) throws -> KFCrossPlatformImage) {
        block = modify
    }

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        (try? block(image)) ?? image
    }
}

/// Sets the rendering mode.
public struct RenderingModeImageModifier: ImageModifier {
    /// The mode to set.
    public let renderingMode: Image.RenderingMode

    /// Creates a modifier that sets `renderingMode`.
    public init(renderingMode: Image.RenderingMode = .automatic) {
        self.renderingMode = renderingMode
    }

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.withRenderingMode(renderingMode)
    }
}

/// Mirrors the image in right-to-left layouts.
public struct FlipsForRightToLeftLayoutDirectionImageModifier: ImageModifier {
    public init() {}

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.imageFlippedForRightToLeftLayoutDirection()
    }
}

/// Sets the alignment insets.
public struct AlignmentRectInsetsImageModifier: ImageModifier {
    /// The insets to set, in points.
    public let alignmentInsets: EdgeInsets

    /// Creates a modifier that sets `alignmentInsets`, in points.
    public init(alignmentInsets: EdgeInsets) {
        self.alignmentInsets = alignmentInsets
    }

    public func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.withAlignmentRectInsets(alignmentInsets)
    }
}
