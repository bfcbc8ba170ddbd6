public import Foundation

extension KF.Builder {
    /// Shows `placeholder` in an image view while loading and after a failure.
    ///
    /// Other views support only images as placeholders.
    @MainActor public func placeholder(_ placeholder: (any Placeholder)?) -> Self {
        self.placeholder = { placeholder }
        return self
    }

    /// Shows `image` while loading and after a failure.
    public func placeholder(_ image: KFCrossPlatformImage?) -> Self {
        placeholder = { image }
        return self
    }

    /// Sets the transition of an image view to an image from the network; with `forceTransition(_:)`, to any
    /// image.
    public func transition(_ transition: ImageTransition) -> Self {
        setting(\.transition, to: transition)
    }

    /// Fades in an image from the network; `duration` is in seconds.
    public func fade(duration: TimeInterval) -> Self {
        transition(.fade(duration))
    }

    /// Keeps the current image of a view until the new one is loaded. The placeholder is shown only in an
    /// empty view.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> Self {
        setting(\.keepCurrentImageWhileLoading, to: enabled)
    }

    /// Shows only the first frame of an animation.
    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        setting(\.onlyLoadFirstFrame, to: enabled)
    }

    /// Decodes the image to the size and scale factor of the image view.
    ///
    /// Other targets ignore it; see `KingfisherOptionsInfoItem.decodesToViewSize`. Not part of the original
    /// library.
    public func decodesToViewSize(_ enabled: Bool = true) -> Self {
        setting(\.decodesToViewSize, to: enabled)
    }
}
