import CGtk
import Foundation
import Kingfisher

/// The displayed image of an image view, for a paintable.
///
/// A view with a widget plays while the widget is on screen, as without a paintable. A view without one plays
/// while the paintable is drawn: GTK draws it again after each change, as long as it is on screen.
@MainActor final class ViewContent: PaintableContent {
    /// A change that nothing has drawn after this time is not on screen.
    private static let patience = Duration.seconds(1)

    var paintable: OpaquePointer?
    private let view: ImageView
    private var shown: DrawableImage?
    private var wakeUp: Task<Void, Never>?
    private var hasChanged = false
    fileprivate private(set) var isDrawn = false

    /// The content of the view's paintable; a new one if the view has none.
    static func of(_ view: ImageView) -> ViewContent {
        view.paintedContent ?? ViewContent(view)
    }

    private init(_ view: ImageView) {
        GLibMainLoop.attach()
        self.view = view
        if let adapter = view.renderer as? WidgetAdapter {
            adapter.painted = self
        } else {
            view.renderer = PaintableRenderer(self, of: view)
            view.environmentDidChange()
        }
    }

    isolated deinit {
        wakeUp?.cancel()
        DesktopSettings.shared.remove(self)
    }

    var size: CGSize { view.image?.size ?? .zero }

    func draw(on snapshot: OpaquePointer, size: CGSize) {
        hasChanged = false
        if !isDrawn {
            isDrawn = true
            view.displayDidChange()
        }
        schedule()
        let image = view.displayedImage
        if shown?.image !== image { shown = DrawableImage(image) }
        guard size.width > 0, size.height > 0 else { return }
        shown?.draw(in: CGRect(origin: .zero, size: size), on: snapshot)
    }

    func environmentMayHaveChanged() {
        if playsItself { view.environmentDidChange() }
        viewDidChange(.content)
    }

    func viewDidChange(_ change: ViewChange) {
        guard let paintable else { return }
        switch change {
        case .size:
            gdk_paintable_invalidate_size(paintable)
            gdk_paintable_invalidate_contents(paintable)
        case .content: gdk_paintable_invalidate_contents(paintable)
        case .animation: schedule()
        case .subviews, .appearance, .scrolling, .accessibility: break
        }
    }

    // MARK: Playing

    private var playsItself: Bool { view.renderer is PaintableRenderer }

    /// Wakes up for the view's next change, or to see whether the last one was drawn.
    private func schedule() {
        wakeUp?.cancel()
        wakeUp = nil
        guard playsItself, isDrawn else { return }
        var wait = Self.patience
        if !hasChanged {
            guard let time = view.nextFrameTime else { return }
            wait = .seconds(max(time - view.renderClock.now, 0))
        }
        wakeUp = Task { [weak self, wait] in
            try? await Task.sleep(for: wait)
            if !Task.isCancelled { self?.wake() }
        }
    }

    private func wake() {
        guard let paintable else { return }
        // A callback of the view may release it.
        g_object_ref(UnsafeMutableRawPointer(paintable))
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        if hasChanged {
            (hasChanged, isDrawn) = (false, false)
            view.displayDidChange()
        } else {
            view.advance()
            hasChanged = true
            gdk_paintable_invalidate_contents(paintable)
            schedule()
        }
    }
}

extension View {
    fileprivate var renderClock: any AnimationClock { clock ?? renderer?.clock ?? MonotonicAnimationClock() }

    /// The content of the view's paintable, as long as there is one.
    var paintedContent: ViewContent? {
        (renderer as? WidgetAdapter)?.painted ?? (renderer as? PaintableRenderer)?.content
    }
}

/// The renderer of a view that has a paintable and no widget. Transitions end immediately.
@MainActor private final class PaintableRenderer: ViewRenderer {
    let clock: any AnimationClock = MonotonicAnimationClock()
    private(set) weak var content: ViewContent?
    private weak var view: ImageView?

    init(_ content: ViewContent, of view: ImageView) {
        self.content = content
        self.view = view
    }

    var canAnimate: Bool { false }

    /// A paintable has no size of its own, so frames are decoded at their full size.
    var display: ViewDisplay {
        ViewDisplay(
            size: view?.image?.size ?? .zero, scaleFactor: view?.image?.scale ?? 1,
            isVisible: content?.isDrawn ?? false)
    }

    var environment: ViewEnvironment {
        let settings = DesktopSettings.shared
        return ViewEnvironment(reducesMotion: settings.reducesMotion, appearance: settings.appearance)
    }

    func viewDidChange(_ change: ViewChange) { content?.viewDidChange(change) }

    func snapshot() -> (any ViewSnapshot)? { nil }

    nonisolated func prepare(_ image: Image) {}
}
