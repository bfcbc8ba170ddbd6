public import Foundation

/// The view type of indicators.
public typealias IndicatorView = View

/// Indicates that an image view is loading an image.
@MainActor public protocol Indicator: Sendable {
    /// Called when a load starts, including one that replaces a running load.
    func startAnimatingView()
    /// Called when the load has ended, before its completion handler.
    func stopAnimatingView()
    /// The offset from the centre of the image view, in points; mirrored in a right-to-left layout.
    var centerOffset: CGPoint { get }
    /// The view that is added on top of the image view.
    var view: IndicatorView { get }
    /// Returns the size of the indicator in `imageView`. Called when a load starts and when the view's size
    /// changes.
    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy
}

extension Indicator {
    /// Centred.
    public var centerOffset: CGPoint { .zero }

    /// As large as the image view.
    public func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy { .full }
}

/// The size of an indicator.
public enum IndicatorSizeStrategy: Sendable {
    /// The natural size of the indicator.
    case intrinsicSize
    /// As large as the image view.
    case full
    /// This size in points.
    case size(CGSize)
}

/// The type of an image view's indicator.
public enum IndicatorType: Sendable {
    /// No indicator.
    case none
    /// The toolkit's spinner, centred.
    case activity
    /// A still or animated image of any supported format, centred, and scaled down if the view is smaller.
    /// There is no indicator if the data is not an image. The first frame is decoded when the type is set.
    case image(imageData: Data)
    /// A custom indicator. It is started and stopped, and also shown and hidden, with the load.
    case custom(indicator: any Indicator)
}
