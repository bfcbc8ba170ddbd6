public import KingfisherImage

/// Content of an image view while its image is loading.
///
/// A view class conforms with `extension Label: Placeholder {}`.
@MainActor public protocol Placeholder {
    /// Shows the placeholder in `imageView`.
    func add(to imageView: KFCrossPlatformImageView)
    /// Removes the placeholder from `imageView`.
    func remove(from imageView: KFCrossPlatformImageView)
}

/// A placeholder image becomes the image of the view and follows its content mode.
extension Image: Placeholder {
    /// Sets this as the image of `imageView`.
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.image = self
    }

    /// Removes the image of `imageView`.
    public func remove(from imageView: KFCrossPlatformImageView) {
        imageView.image = nil
    }

    /// Sets this as the image of `base`.
    @MainActor public func add(to base: any KingfisherHasImageComponent) {
        base.image = self
    }

    /// Removes the image of `base`.
    @MainActor public func remove(from base: any KingfisherHasImageComponent) {
        base.image = nil
    }
}

/// A placeholder view fills the image view, below its other subviews.
extension Placeholder where Self: KFCrossPlatformView {
    /// Moves the view into `imageView`, which it fills.
    public func add(to imageView: KFCrossPlatformImageView) {
        placement = .fill
        imageView.insertSubview(self, at: 0)
    }

    /// Removes the view from `imageView`; does nothing if it has another superview.
    public func remove(from imageView: KFCrossPlatformImageView) {
        if superview === imageView { removeFromSuperview() }
    }
}
