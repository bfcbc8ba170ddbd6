/// What has changed in a view since it was drawn last.
public enum ViewChange: Sendable {
    /// The picture, or how it is fitted: draw again.
    case content
    /// The size that the view would like to have: lay out again.
    case size
    /// The list of subviews, or the place of one of them.
    case subviews
    /// `isHidden` or `alpha`.
    case appearance
    /// An animation has begun: ask for frames, and call the view back before each.
    case animation
}

/// The part of a toolkit that shows one view.
///
/// A view owns its renderer (`View.renderer`) and tells it of changes; the renderer reads the view's state
/// when it draws. A toolkit needs nothing else: see KingfisherGTK for one.
@MainActor public protocol ViewRenderer: AnyObject {
    /// The clock of the screen that the view is on.
    var clock: any AnimationClock { get }

    /// Whether an animation would be seen: the view is on screen and the user's settings allow motion.
    ///
    /// An animation that begins while this is false ends at once. A renderer that stops drawing in the midst
    /// of one calls the view's `finishTransition()`.
    var canAnimate: Bool { get }

    /// Notes that the view has to be drawn or laid out again; called on every change, so it should only mark.
    func viewDidChange(_ change: ViewChange)
}
