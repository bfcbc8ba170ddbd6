public import KingfisherImage

/// What an image view shows while its image is loading.
///
/// A view is one by `extension Label: Placeholder {}`.
@MainActor public protocol Placeholder {
    /// Shows the placeholder in `imageView`.
    func add(to imageView: KFCrossPlatformImageView)
    /// Takes the placeholder away from `imageView`.
    func remove(from imageView: KFCrossPlatformImageView)
}

/// An image as placeholder is simply the view's image for a while; it follows the view's content mode.
extension Image: Placeholder {
    /// Makes this the image of `imageView` for a while.
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.image = self
    }

    /// Takes the image of `imageView` away.
    public func remove(from imageView: KFCrossPlatformImageView) {
        imageView.image = nil
    }

    /// Makes this the image of `base` for a while.
    @MainActor public func add(to base: any KingfisherHasImageComponent) {
        base.image = self
    }

    /// Takes the image of `base` away.
    @MainActor public func remove(from base: any KingfisherHasImageComponent) {
        base.image = nil
    }
}

/// A view as placeholder fills the image view, beneath what else lies on it.
extension Placeholder where Self: KFCrossPlatformView {
    /// Takes the view from wherever it lies and lets it fill `imageView`.
    public func add(to imageView: KFCrossPlatformImageView) {
        placement = .fill
        imageView.insertSubview(self, at: 0)
    }

    /// Does nothing if the view lies elsewhere by now.
    public func remove(from imageView: KFCrossPlatformImageView) {
        if superview === imageView { removeFromSuperview() }
    }
}
