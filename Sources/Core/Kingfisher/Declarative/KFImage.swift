/// A value that describes a loaded image, with the modifiers of Kingfisher's SwiftUI view.
///
///     let photo = KFImage(url)
///         .placeholder { progress in Label("\(Int(progress.fractionCompleted * 100)) %") }
///         .onFailureView { Label("Not available") }
///         .retry(maxCount: 3, interval: .seconds(5))
///         .fade(duration: 0.25)
///         .resizable()
///         .scaledToFit()
///     let view = photo.makeView()
///     print(view)
///
/// Without `resizable()` the image has its natural size, cropped by a smaller view. `KingfisherGTK` shows it
/// with `makeWidget()`; other toolkits use `makeView()` and `update(_:)` of `KFImageProtocol`.
public struct KFImage: KFImageProtocol {
    public let context: Context<KFCrossPlatformImageView>

    public init(context: Context<KFCrossPlatformImageView>) {
        self.context = context
    }

    @MainActor public static func makeHoldingView() -> KFCrossPlatformImageView {
        KFCrossPlatformImageView()
    }
}

/// A `KFImage` in an `AnimatedImageView`, which plays animations of any length in little memory.
///
///     KFAnimatedImage(url).configure { view in view.repeatCount = .once }.makeView().startAnimating()
///
/// As in the original library it is always resizable.
public struct KFAnimatedImage: KFImageProtocol {
    public let context: KFImage.Context<AnimatedImageView>

    public init(context: KFImage.Context<AnimatedImageView>) {
        self.context = context
    }

    @MainActor public static func makeHoldingView() -> AnimatedImageView {
        AnimatedImageView()
    }
}
