public import Foundation

/// The view type of indicators.
public typealias IndicatorView = View

/// Shows that an image view waits for its image.
@MainActor public protocol Indicator: Sendable {
    /// Called when a load begins, also when it takes the place of one under way.
    func startAnimatingView()
    /// Called once no load is under way, before the completion handler runs.
    func stopAnimatingView()
    /// How far from the image view's middle the indicator lies, in points.
    var centerOffset: CGPoint { get }
    /// What is put on top of the image view.
    var view: IndicatorView { get }
    /// How large the indicator is in `imageView`. Asked when a load begins and when the view's size changes.
    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy
}

extension Indicator {
    /// In the middle.
    public var centerOffset: CGPoint { .zero }

    /// As large as the image view.
    public func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy { .full }
}

/// How large an indicator is.
public enum IndicatorSizeStrategy: Sendable {
    /// As large as it would like to be.
    case intrinsicSize
    /// As large as the image view.
    case full
    /// Of this size in points.
    case size(CGSize)
}

/// Which indicator an image view has.
public enum IndicatorType: Sendable {
    /// None.
    case none
    /// The toolkit's spinner, in the middle.
    case activity
    /// An image, still or animated, of any format that can be decoded, in the middle; shrunk where the
    /// view is smaller. None when the bytes are no image. The first frame is decoded when the type is
    /// set.
    case image(imageData: Data)
    /// One of the user's own. It is shown and hidden with the load, besides being told to start and stop.
    case custom(indicator: any Indicator)
}
