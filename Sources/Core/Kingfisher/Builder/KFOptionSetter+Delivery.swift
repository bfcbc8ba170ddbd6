public import Foundation

extension KFOptionSetter {
    /// Sets the queue of the manager's callbacks. The handlers of a view's load always run on the main actor.
    public func callbackQueue(_ queue: CallbackQueue) -> Self {
        setting(\.callbackQueue, to: queue)
    }

    /// Sets the pixels per point of the decoded image.
    public func scaleFactor(_ factor: CGFloat) -> Self {
        setting(\.scaleFactor, to: factor)
    }

    /// Modifies the image before delivery; the cached image is unchanged.
    public func imageModifier(_ modifier: (any ImageModifier)?) -> Self {
        setting(\.imageModifier, to: modifier)
    }

    /// Modifies the image before delivery; if the closure throws, the image is unchanged.
    public func imageModifier(
        _ modify: @escaping @Sendable (inout KFCrossPlatformImage) throws -> Void
    ) -> Self {
        imageModifier(
            AnyImageModifier { image in
                var image = image
                try modify(&image)
                return image
            })
    }

    /// Also runs the transition for images from a cache.
    public func forceTransition(_ enabled: Bool = true) -> Self {
        setting(\.forceTransition, to: enabled)
    }

    /// Shows `image` after a failure; nil clears the view. Without this modifier the placeholder stays.
    public func onFailureImage(_ image: KFCrossPlatformImage?) -> Self {
        setting(\.onFailureImage, to: .some(image))
    }
}
