public import KingfisherImage

/// A change of a view since it was last drawn.
public enum ViewChange: Sendable {
    /// The image or its content mode: redraw.
    case content
    /// The natural size: lay out again.
    case size
    /// The subviews, or the placement of one of them.
    case subviews
    /// `isHidden`, `alpha` or `transform`.
    case appearance
    /// `View.nextFrameTime`: schedule frames accordingly, and call `View.advance()` before each.
    case animation
    /// `View.followsScrolling`: while it is true, call `View.scrollPlaceDidChange()` after changes of
    /// `ViewRenderer.scrollPlace`.
    case scrolling
    /// `View.accessibility`.
    case accessibility
}

/// A snapshot of a view, stored by a toolkit to be drawn later.
@MainActor public protocol ViewSnapshot: AnyObject, Sendable {}

/// Draws one view; implemented by a toolkit.
///
/// A view owns its renderer (`View.renderer`) and notifies it of changes. The renderer reads the view's state
/// when it draws. It calls `View.advance()` before each frame, `View.displayDidChange()` after a change of
/// `display`, and `View.environmentDidChange()` after a change of `environment`. KingfisherGTK is an
/// implementation.
@MainActor public protocol ViewRenderer: AnyObject, Sendable {
    /// The clock of the screen that the view is on.
    var clock: any AnimationClock { get }

    /// Whether animations are visible: the view is on screen.
    ///
    /// A transition that starts while this is false ends immediately. The user's settings are in
    /// `environment`, because a view may ask for motion.
    var canAnimate: Bool { get }

    /// The properties of the view on screen.
    var display: ViewDisplay { get }

    /// The position of the view in the scrolled areas that contain it; nil if there is none, or if the view
    /// is not laid out.
    var scrollPlace: ScrollPlace? { get }

    /// The user's settings and the layout direction that apply to the view; `.standard` by default.
    var environment: ViewEnvironment { get }

    /// Marks the view to be redrawn or laid out again. Called on every change, so it must be fast.
    func viewDidChange(_ change: ViewChange)

    /// Returns a snapshot of the view with its subviews, to draw the start of a transition; nil if the
    /// toolkit does not support this.
    func snapshot() -> (any ViewSnapshot)?

    /// Prepares an image for drawing, to relieve the main thread. Called off the main thread.
    nonisolated func prepare(_ image: Image)
}

extension ViewRenderer {
    /// A toolkit without scrolled areas has no positions in them.
    public var scrollPlace: ScrollPlace? { nil }

    /// The settings of a desktop on which the user has changed nothing.
    public var environment: ViewEnvironment { .standard }
}
