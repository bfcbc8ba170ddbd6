public import KingfisherImage

/// Anything that takes an image: conforming gives a class `kf.setImage(with:)`.
///
/// For a class with a property `image`, conform to `KingfisherHasImageComponent`, which asks for nothing
/// more. `ImageView`, `Button` and `TextAttachment` have functions of their own.
@MainActor public protocol KingfisherImageSettable: KingfisherCompatible {
    /// Shows `image`, or nothing, under the options of the load that it belongs to.
    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)
    /// The image shown now.
    func getImage() -> KFCrossPlatformImage?
}

/// A class with an image as a property.
@MainActor public protocol KingfisherHasImageComponent: KingfisherImageSettable {
    /// The image; nil for none.
    var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    /// Sets `image`, whatever the options.
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    /// Gets `image`.
    public func getImage() -> KFCrossPlatformImage? {
        image
    }
}
