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
}
