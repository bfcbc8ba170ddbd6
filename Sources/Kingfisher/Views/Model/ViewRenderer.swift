public import KingfisherImage

/// What has changed in a view since it was drawn last.
public enum ViewChange: Sendable {
    /// The image, or how it is fitted: draw again.
    case content
    /// The size that the view would like to have: lay out again.
    case size
    /// The list of subviews, or the place of one of them.
    case subviews
    /// `isHidden`, `alpha` or `transform`.
    case appearance
    /// `View.nextFrameTime`: ask for frames accordingly, and call the view back before each.
    case animation
}

/// What a view showed at some moment, kept by a toolkit to be drawn again later.
@MainActor public protocol ViewSnapshot: AnyObject, Sendable {}

/// The part of a toolkit that shows one view.
///
/// A view owns its renderer (`View.renderer`) and tells it of changes; the renderer reads the view's state
/// when it draws, and calls back: `View.advance()` before each frame, `View.displayDidChange()` after a
/// change of `display`. A toolkit needs nothing else: see KingfisherGTK for one.
@MainActor public protocol ViewRenderer: AnyObject, Sendable {
    /// The clock of the screen that the view is on.
    var clock: any AnimationClock { get }

    /// Whether an animation would be seen: the view is on screen and the user's settings allow motion.
    ///
    /// A transition that begins while this is false ends at once.
    var canAnimate: Bool { get }

    /// Where the view is on screen.
    var display: ViewDisplay { get }

    /// Notes that the view has to be drawn or laid out again; called on every change, so it should only mark.
    func viewDidChange(_ change: ViewChange)

    /// What the view shows now, subviews included, to be drawn as the beginning of a transition; nil where
    /// the toolkit cannot keep that.
    func snapshot() -> (any ViewSnapshot)?

    /// Gets an image ready to be drawn, so that the main thread need not; called off the main thread.
    nonisolated func prepare(_ image: Image)
}
