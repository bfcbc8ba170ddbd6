public import Foundation

extension KFOptionSetter {
    /// Where the manager reports to; the handlers of a view's load run on the main actor all the same.
    public func callbackQueue(_ queue: CallbackQueue) -> Self {
        setting(\.callbackQueue, to: queue)
    }

    /// Pixels per point of the decoded image.
    public func scaleFactor(_ factor: CGFloat) -> Self {
        setting(\.scaleFactor, to: factor)
    }

    /// Changes the image just before it is handed out; what is cached stays as it was.
    public func imageModifier(_ modifier: (any ImageModifier)?) -> Self {
        setting(\.imageModifier, to: modifier)
    }

    /// Changes the image just before it is handed out; a closure that throws changes nothing.
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

    /// Runs the transition wherever the image came from.
    public func forceTransition(_ enabled: Bool = true) -> Self {
        setting(\.forceTransition, to: enabled)
    }

    /// Shows `image` after a failure; nil empties the view. Without this the placeholder stays.
    public func onFailureImage(_ image: KFCrossPlatformImage?) -> Self {
        setting(\.onFailureImage, to: .some(image))
    }
}
