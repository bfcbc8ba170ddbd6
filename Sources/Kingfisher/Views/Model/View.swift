public import Foundation

/// A rectangle on screen, as a model: it holds state, and a toolkit draws it.
///
/// A view works without any toolkit, too: nothing is drawn then and animations end at once. Everything but
/// `init` belongs to the main actor.
@MainActor open class View {
    /// The views on top of this one, lowest first.
    public private(set) var subviews: [View] = []
    /// The view that this one lies on.
    public private(set) weak var superview: View?

    /// Whether the view, with all its subviews, is left out when its superview is drawn.
    open var isHidden = false {
        didSet { if isHidden != oldValue { renderer?.viewDidChange(.appearance) } }
    }

    /// Opacity of the view with all its subviews, from 0 to 1.
    open var alpha: CGFloat = 1 {
        didSet { if alpha != oldValue { renderer?.viewDidChange(.appearance) } }
    }

    /// How the view with all its subviews is moved, scaled and turned about its middle; its layout stays.
    open var transform: CGAffineTransform = .identity {
        didSet { if transform != oldValue { renderer?.viewDidChange(.appearance) } }
    }

    /// Where the view lies in its superview.
    open var placement: ViewPlacement = .fill {
        didSet { if placement != oldValue { superview?.renderer?.viewDidChange(.subviews) } }
    }

    /// The time of this view's animations; nil takes the toolkit's clock.
    public var clock: (any AnimationClock)?
    private let fallbackClock = MonotonicAnimationClock()

    /// What shows the view on screen; set by the toolkit, owned by the view.
    public var renderer: (any ViewRenderer)?

    /// Makes a view without subviews; from any thread.
    nonisolated public init() {}

    /// The view's own coordinates: from zero to the size that the toolkit gave it, in points.
    public var bounds: CGRect {
        CGRect(origin: .zero, size: renderer?.display.size ?? .zero)
    }

    /// Has the view drawn again before the next frame.
    public func setNeedsDisplay() {
        renderer?.viewDidChange(.content)
    }

    /// Puts `view` on top of the other subviews, taking it from where it was before.
    ///
    /// One that lies here already stays on screen meanwhile, with all that moves on it.
    open func addSubview(_ view: View) {
        insertSubview(view, at: subviews.count)
    }

    /// Puts `view` among the other subviews, taking it from where it was before; 0 is beneath all.
    ///
    /// An index beyond the ends is taken as the nearer end.
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
    }

    /// Takes the view off its superview; does nothing to a view that has none.
    open func removeFromSuperview() {
        guard let parent = superview else { return }
        superview = nil
        parent.subviews.removeAll { $0 === self }
        parent.renderer?.viewDidChange(.subviews)
    }

    /// Whether `view` is this view or one that it lies on, directly or through others.
    public func isDescendant(of view: View) -> Bool {
        var next: View? = self
        while let current = next {
            if current === view { return true }
            next = current.superview
        }
        return false
    }

    // MARK: What a toolkit asks and tells

    /// Opacity and transform to draw with now.
    open var presentation: ViewPresentation { ViewPresentation(alpha: alpha, transform: transform) }

    /// When the view will look different by itself, in seconds of its clock; nil when it will not.
    ///
    /// A time that has come asks for a frame as soon as possible. An earlier time than the last one is told
    /// by `.animation`; the toolkit asks again after each frame.
    open var nextFrameTime: TimeInterval? { nil }

    /// Brings the view's animations to the present. A toolkit calls this before each frame it was asked for.
    open func advance() {}

    /// Takes note that size, scale factor or visibility (`ViewRenderer.display`) changed. Called by the
    /// toolkit.
    open func displayDidChange() {}

    /// The clock that the view's animations go by.
    var currentClock: any AnimationClock { clock ?? renderer?.clock ?? fallbackClock }
}

/// A view is equal to itself alone.
extension View: Hashable {
    public nonisolated static func == (one: View, other: View) -> Bool { one === other }

    public nonisolated func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

/// The name that code shared with Apple's systems uses for `View`.
public typealias KFCrossPlatformView = View
