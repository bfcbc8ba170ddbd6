import Kingfisher

#if canImport(UIKit)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

extension CardLoader {
    /// Shows the card of a photo in an image view of UIKit, AppKit or `KingfisherGTK`.
    @MainActor public func show(
        _ photo: Source, in view: KFCrossPlatformImageView, placeholder: KFCrossPlatformImage? = nil,
        completion: (@MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)? = nil
    ) {
        // Each toolkit has a different property for how an image fills its view.
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
