public import KingfisherImage

/// What an image view shows while its picture is loading.
@MainActor public protocol Placeholder {
    /// Shows the placeholder in `imageView`.
    func add(to imageView: KFCrossPlatformImageView)
    /// Takes the placeholder away from `imageView`.
    func remove(from imageView: KFCrossPlatformImageView)
}

/// A picture as placeholder is simply the view's picture for a while; it follows the view's content mode.
extension Image: Placeholder {
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.image = self
    }

    public func remove(from imageView: KFCrossPlatformImageView) {
        imageView.image = nil
    }
}
