public import Foundation

/// The model of a rectangle on screen. It holds the state; a toolkit draws it.
///
/// Without a toolkit, a view is not drawn and animations end immediately. Everything except `init` is
/// isolated to the main actor.
@MainActor open class View {
    /// The subviews in drawing order, lowest first.
    public private(set) var subviews: [View] = []
    /// The view that contains this one.
    public private(set) weak var superview: View?

    /// Whether the view and all its subviews are hidden.
    open var isHidden = false {
        didSet { if isHidden != oldValue { renderer?.viewDidChange(.appearance) } }
    }

    /// The opacity of the view and all its subviews, from 0 to 1.
    open var alpha: CGFloat = 1 {
        didSet { if alpha != oldValue { renderer?.viewDidChange(.appearance) } }
    }

    /// The transform of the view and all its subviews about its centre. It does not affect layout.
    open var transform: CGAffineTransform = .identity {
        didSet { if transform != oldValue { renderer?.viewDidChange(.appearance) } }
    }

    /// The position of the view in its superview.
    open var placement: ViewPlacement = .fill {
        didSet { if placement != oldValue { superview?.renderer?.viewDidChange(.subviews) } }
    }

    /// A description of the view for users who do not see it; nil for none, empty for a decorative view.
    ///
    /// Without one, an image view has the description of its placeholder, while that is shown, and a button
    /// its title. A decorative view is hidden from assistive technology together with its subviews.
    open var alternativeText: String? {
        didSet { if alternativeText != oldValue { accessibilityDidChange() } }
    }

    /// Whether the view and its subviews move although the user's settings turn animations off.
    ///
    /// Set `.always` only where the user has asked for this animation, for example with a play button. A call
    /// of `startAnimating()` alone does not count as such a request.
    open var motion: MotionPolicy = .followsSystem {
        didSet { if motion != oldValue { motionDidChange() } }
    }

    /// The clock of this view's animations; nil selects the toolkit's clock.
    public var clock: (any AnimationClock)?
    private let fallbackClock = MonotonicAnimationClock()

    /// Draws the view; set by the toolkit, owned by the view.
    public var renderer: (any ViewRenderer)?

    /// Creates a view without subviews; callable from any thread.
    nonisolated public init() {}

    /// The bounds in the view's coordinates: the origin is zero, the size comes from the layout, in points.
    public var bounds: CGRect {
        CGRect(origin: .zero, size: renderer?.display.size ?? .zero)
    }

    /// Requests that the view is redrawn before the next frame.
    public func setNeedsDisplay() {
        renderer?.viewDidChange(.content)
    }

    /// Adds `view` on top of the other subviews, and removes it from its previous superview.
    ///
    /// A subview of this view is moved without leaving the screen, so its animations continue.
    open func addSubview(_ view: View) {
        insertSubview(view, at: subviews.count)
    }

    /// Inserts `view` at an index of the subviews, and removes it from its previous superview; index 0 is the
    /// lowest.
    ///
    /// An index out of range is clamped.
    open func insertSubview(_ view: View, at index: Int) {
        guard view !== self, !isDescendant(of: view) else { return }
        if view.superview === self {
            subviews.removeAll { $0 === view }
        } else {
            view.removeFromSuperview()
        }
        subviews.insert(view, at: min(max(index, 0), subviews.count))
        view.superview = self
        renderer?.viewDidChange(.subviews)
        // The policy of the superview also applies to the view.
        view.motionDidChange()
    }

    /// Removes the view from its superview, if it has one.
    open func removeFromSuperview() {
        guard let parent = superview else { return }
        superview = nil
        parent.subviews.removeAll { $0 === self }
        parent.renderer?.viewDidChange(.subviews)
        motionDidChange()
    }

    /// Returns whether `view` is this view or one of its ancestors.
    public func isDescendant(of view: View) -> Bool {
        var next: View? = self
        while let current = next {
            if current === view { return true }
            next = current.superview
        }
        return false
    }

    // MARK: Interface to the toolkit

    /// The opacity and transform to draw with.
    open var presentation: ViewPresentation { ViewPresentation(alpha: alpha, transform: transform) }

    /// The time of the next change of the view's appearance, in seconds of its clock, or nil.
    ///
    /// A time in the past requests a frame as soon as possible. A change to an earlier time is announced by
    /// `.animation`; the toolkit reads the property again after each frame.
    open var nextFrameTime: TimeInterval? { nil }

    /// Updates the view's animations. The toolkit calls this before each frame that was requested.
    open func advance() {}

    /// Called by the toolkit after a change of size, scale factor or visibility (`ViewRenderer.display`).
    open func displayDidChange() {}

    /// Whether the view depends on its position in scrolled areas at present, because it loads an image. A
    /// change is announced by `.scrolling`.
    open var followsScrolling: Bool { false }

    /// Called by the toolkit after a change of `ViewRenderer.scrollPlace`, at most once per frame.
    open func scrollPlaceDidChange() {}

    /// Called by the toolkit after a change of the user's settings or of the layout direction
    /// (`ViewRenderer.environment`).
    ///
    /// Overrides call `super`.
    open func environmentDidChange() {
        motionDidChange()
    }

    /// The role, name and state of the view for assistive technology.
    ///
    /// A subclass overrides it to describe itself, and calls `accessibilityDidChange()` when its value
    /// changes. The role must not change.
    open var accessibility: ViewAccessibility {
        ViewAccessibility(role: .group, label: alternativeText)
    }

    /// Notifies the toolkit that `accessibility` of the view and of its superviews may have another value.
    public func accessibilityDidChange() {
        renderer?.viewDidChange(.accessibility)
        // A placeholder names its image view, which may contain it indirectly.
        superview?.accessibilityDidChange()
    }

    /// The user's settings and the layout direction that apply to the view; `.standard` without a toolkit.
    public var environment: ViewEnvironment { renderer?.environment ?? .standard }

    /// Whether the view may move: the user's settings allow it, or `motion` of the view or of one of its
    /// superviews is `.always`.
    public var allowsMotion: Bool { !environment.reducesMotion || asksForMotion }

    private var asksForMotion: Bool { motion == .always || superview?.asksForMotion == true }

    func motionDidChange() {
        for view in subviews { view.motionDidChange() }
    }

    var currentClock: any AnimationClock { clock ?? renderer?.clock ?? fallbackClock }
}

/// Views are compared by identity.
extension View: Hashable {
    public nonisolated static func == (one: View, other: View) -> Bool { one === other }

    public nonisolated func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The name that code shared with Apple's systems uses for `View`.
public typealias KFCrossPlatformView = View
