public import Foundation

/// The view type of indicators.
public typealias IndicatorView = View

/// Shows that an image view waits for its picture.
@MainActor public protocol Indicator: Sendable {
    /// Called when a load begins, also when it takes the place of one under way.
    func startAnimatingView()
    /// Called once no load is under way, before the completion handler runs.
    func stopAnimatingView()
    /// How far from the image view's middle the indicator lies, in points.
    var centerOffset: CGPoint { get }
    /// What is put on top of the image view.
    var view: IndicatorView { get }
    /// How large the indicator is in `imageView`.
    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy
}

extension Indicator {
    public var centerOffset: CGPoint { .zero }

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
}
