public import KingfisherImage

/// An object that shows an image. Conforming gives a class `kf.setImage(with:)`.
///
/// A class with a property `image` conforms to `KingfisherHasImageComponent`, which has no further
/// requirements. `ImageView`, `Button` and `TextAttachment` have separate functions.
@MainActor public protocol KingfisherImageSettable: KingfisherCompatible {
    /// Shows `image`, or nothing, with the options of its load.
    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)
    /// Returns the current image.
    func getImage() -> KFCrossPlatformImage?
}

/// A class with an image property.
@MainActor public protocol KingfisherHasImageComponent: KingfisherImageSettable {
    /// The image; nil for none.
    var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    /// Sets `image`; the options have no effect.
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    /// Gets `image`.
    public func getImage() -> KFCrossPlatformImage? {
        image
    }
}
