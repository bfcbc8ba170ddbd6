public import Foundation

extension KF.Builder {
    /// Shows `placeholder` in an image view while it waits, and after a failure.
    ///
    /// Views of other kinds take images only.
    @MainActor public func placeholder(_ placeholder: (any Placeholder)?) -> Self {
        self.placeholder = { placeholder }
        return self
    }

    /// Shows `image` while a view waits, and after a failure.
    public func placeholder(_ image: KFCrossPlatformImage?) -> Self {
        placeholder = { image }
        return self
    }

    /// How an image view changes to an image from the network; `forceTransition(_:)` adds all others.
    public func transition(_ transition: ImageTransition) -> Self {
        setting(\.transition, to: transition)
    }

    /// Fades an image that came from the network in, within `duration` seconds.
    public func fade(duration: TimeInterval) -> Self {
        transition(.fade(duration))
    }

    /// Keeps the image that a view shows until the new one is there; the placeholder serves an empty view.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> Self {
        setting(\.keepCurrentImageWhileLoading, to: enabled)
    }

    /// Shows the first frame of an animation only.
    public func onlyLoadFirstFrame(_ enabled: Bool = true) -> Self {
        setting(\.onlyLoadFirstFrame, to: enabled)
    }

    /// Decodes the image to the size and scale factor that an image view has on screen.
    ///
    /// Other places ignore it; see `KingfisherOptionsInfoItem.decodesToViewSize`. Not part of the original
    /// library.
    public func decodesToViewSize(_ enabled: Bool = true) -> Self {
        setting(\.decodesToViewSize, to: enabled)
    }
}
