import Kingfisher

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

extension CardLoader {
    /// Shows the card of a photograph in an image view: UIKit's, AppKit's, or the one that `KingfisherGTK`
    /// draws.
    @MainActor public func show(
        _ photo: Source, in view: KFCrossPlatformImageView, placeholder: KFCrossPlatformImage? = nil,
        completion: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? = nil
    ) {
        // How an image fills its view is for the toolkit to say, and each says it in its own way.
        #if canImport(AppKit) && !canImport(UIKit)
            view.imageScaling = .scaleProportionallyUpOrDown
        #else
            view.contentMode = .scaleAspectFit
        #endif
        view.kf.indicatorType = .activity
        view.kf.setImage(
            with: photo, placeholder: placeholder, options: options + [.transition(.fade(0.2))],
            completionHandler: completion)
    }
}
