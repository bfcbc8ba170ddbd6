public import CGtk
import Foundation
public import Kingfisher

/// Connects a view to a widget, and keeps the widget's visibility, opacity and description up to date.
///
/// A package that shows a view of its own by a widget of its own writes a subclass and registers it; see
/// ``register(_:for:)``.
///
/// The view owns the adapter; the adapter owns the widget by a toggle reference. GLib reports through it when
/// another owner, such as a window, takes its first or drops its last reference. While there is another
/// owner, the adapter retains the view. View and widget therefore live as long as either is needed, without a
/// cycle.
@MainActor open class WidgetAdapter: ViewRenderer, EnvironmentObserver {
    /// The widget, as long as the adapter lives.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// The view, which owns the adapter.
    public private(set) weak var view: View?
    private var retainedView: View?
    private var isRetainedUntilIdle = false
    private let frameClock: FrameClock
    private let frames: FrameSchedule
    /// The areas that notify the view while it follows scrolling.
    private var areas: [ScrollArea] = []
    private var signals: [gulong] = []
    /// While the widget is mapped.
    private var surfaceScale: SurfaceScale?
    /// The environment that the view knows.
    private var knownEnvironment = ViewEnvironment.standard
    /// The content of the view's paintable, which shows every change.
    weak var painted: ViewContent?

    /// Takes ownership of `widget`, which is new and has no other owner.
    public init(_ widget: UnsafeMutablePointer<GtkWidget>, of view: View) {
        GLibMainLoop.attach()
        self.widget = widget
        self.view = view
        frameClock = FrameClock(widget)
        frames = FrameSchedule(widget, of: view)
        let object = UnsafeMutableRawPointer(widget)
        g_object_ref_sink(object)
        retainedView = view
        g_object_add_toggle_ref(
            object.assumingMemoryBound(to: GObject.self), holdersChanged,
            Unmanaged.passUnretained(self).toOpaque())
        // Leaves the toggle reference as the only one, which clears `retainedView`.
        g_object_unref(object)
        signals = [
            connect("notify::scale-factor", to: unsafeBitCast(scaleFactorChanged, to: GCallback.self)),
            connect("direction-changed", to: unsafeBitCast(directionChanged, to: GCallback.self)),
            connect("map", to: unsafeBitCast(mapped, to: GCallback.self)),
            connect("unmap", to: unsafeBitCast(unmapped, to: GCallback.self)),
        ]
        DesktopSettings.shared.add(self)
        updateAppearance()
        updateAccessibility()
    }

    isolated deinit {
        frames.cancel()
        DesktopSettings.shared.remove(self)
        for signal in signals { g_signal_handler_disconnect(UnsafeMutableRawPointer(widget), signal) }
        g_object_remove_toggle_ref(
            UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self), holdersChanged,
            Unmanaged.passUnretained(self).toOpaque())
    }

    private func connect(_ signal: String, to callback: @escaping GCallback) -> gulong {
        g_signal_connect_data(
            UnsafeMutableRawPointer(widget), signal, callback, Unmanaged.passUnretained(self).toOpaque(),
            nil, GConnectFlags(rawValue: 0))
    }

    /// Makes the adapters of a class of views; nil for other views.
    private struct Maker {
        let model: ObjectIdentifier
        let make: @MainActor (View) -> WidgetAdapter?

        init<Model: View>(_ make: @escaping @MainActor (Model) -> WidgetAdapter) {
            model = ObjectIdentifier(Model.self)
            self.make = { ($0 as? Model).map(make) }
        }
    }

    private static var makers = [
        Maker(ButtonAdapter.init), Maker(SpinnerAdapter.init), Maker(ImageViewAdapter.init),
        Maker(ZoomAdapter.init),
    ]

    /// Shows views of a class, and of its subclasses, by the adapters that `make` returns; for the whole
    /// process, in place of an earlier registration of the same class.
    ///
    /// Of registrations for a view's class and its superclasses, the last one is used, so register
    /// superclasses first. Views that have a widget keep it.
    public static func register<Model: View>(
        _ make: @escaping @MainActor (Model) -> WidgetAdapter, for model: Model.Type
    ) {
        let maker = Maker(make)
        makers.removeAll { $0.model == maker.model }
        makers.append(maker)
    }

    private static func makeAdapter(of view: View) -> WidgetAdapter {
        for maker in makers.reversed() {
            if let adapter = maker.make(view) { return adapter }
        }
        return ContainerAdapter(view, wrapping: (view as? WidgetView)?.content)
    }

    /// The adapter of `view`; creates one if the view has none, or has an adapter of another toolkit.
    static func adapter(of view: View) -> WidgetAdapter {
        if let adapter = view.renderer as? WidgetAdapter { return adapter }
        let (adapter, painted) = (makeAdapter(of: view), view.paintedContent)
        view.renderer = adapter
        adapter.painted = painted
        adapter.environmentMayHaveChanged()
        // A view that has played in its paintable is not on screen any more.
        if painted != nil { view.displayDidChange() }
        return adapter
    }

    public var clock: any AnimationClock { frameClock }

    /// GTK gives frames to mapped widgets only.
    public var canAnimate: Bool { gtk_widget_get_mapped(widget) != 0 }

    public var environment: ViewEnvironment { DesktopSettings.shared.environment(of: widget) }

    /// The widget that assistive technology sees in place of the view.
    open var accessibleWidget: UnsafeMutablePointer<GtkWidget> { widget }

    /// Whether the widget has been allocated, even with size zero; GTK maps widgets shortly before.
    var isLaidOut: Bool { true }

    public var display: ViewDisplay {
        ViewDisplay(
            size: CGSize(
                width: Int(gtk_widget_get_width(widget)), height: Int(gtk_widget_get_height(widget))),
            scaleFactor: surfaceScale?.value ?? CGFloat(gtk_widget_get_scale_factor(widget)),
            isVisible: gtk_widget_get_mapped(widget) != 0 && isLaidOut)
    }

    /// Updates the widget after a change of the view; call `super` after your own changes.
    open func viewDidChange(_ change: ViewChange) {
        painted?.viewDidChange(change)
        switch change {
        case .content: gtk_widget_queue_draw(widget)
        case .size: gtk_widget_queue_resize(widget)
        case .appearance:
            updateAppearance()
            updateAccessibility()
        case .animation: frames.update()
        case .scrolling: followScrolling()
        case .accessibility: updateAccessibility()
        case .subviews: break
        }
    }

    public var scrollPlace: ScrollPlace? {
        guard display.isVisible else { return nil }
        let areas = areas.isEmpty ? ScrollArea.areas(around: widget) : areas
        return areas.reduce(nil) { place, area in
            guard let outer = area.place(of: widget) else { return place }
            return place?.nested(in: outer) ?? outer
        }
    }

    private func followScrolling() {
        let follows = view?.followsScrolling == true && gtk_widget_get_mapped(widget) != 0
        guard follows != !areas.isEmpty else { return }
        for area in areas { area.remove(self) }
        areas = follows ? ScrollArea.areas(around: widget) : []
        for area in areas { area.add(self) }
    }

    /// What the widget shows, for transitions; nil by default.
    open func snapshot() -> (any ViewSnapshot)? { nil }

    /// Makes textures of an image that the view will show, on a background thread; nothing by default.
    nonisolated open func prepare(_ image: Image) {}

    func displayDidChange() {
        if gtk_widget_get_mapped(widget) != 0 { RendererKind.note(widget) }
        followScrolling()
        environmentMayHaveChanged()
        view?.displayDidChange()
        frames.update()
    }

    func environmentMayHaveChanged() {
        let new = environment
        guard new != knownEnvironment else { return }
        knownEnvironment = new
        view?.environmentDidChange()
    }

    private func updateAccessibility() {
        guard var accessibility = view?.accessibility else { return }
        // The wrapped GtkLabel describes itself.
        if let label = view as? Label { accessibility.label = label.alternativeText }
        accessibleWidget.describe(accessibility)
    }

    fileprivate func widgetIsBeingMapped() {
        surfaceScale = SurfaceScale(of: widget) { [weak self] in self?.displayDidChange() }
        // GTK 4.18 shows a widget to assistive technology as the last step of mapping it.
        guard view?.accessibility.isDecorative == true else { return }
        Task { [weak self] in self?.updateAccessibility() }
    }

    fileprivate func widgetWasUnmapped() { surfaceScale = nil }

    func updateAppearance() {
        guard let view else { return }
        gtk_widget_set_visible(widget, view.isHidden ? 0 : 1)
        gtk_widget_set_opacity(widget, Double(view.alpha))
    }

    fileprivate func widgetIsHeld(byOthers: Bool) {
        // Released last, because this may free the adapter.
        let released = retainedView
        retainedView = byOthers ? view : nil
        withExtendedLifetime(released) {}
    }

    func retainViewUntilIdle() {
        guard !isRetainedUntilIdle, let view else { return }
        isRetainedUntilIdle = true
        _ = g_idle_add_full(
            G_PRIORITY_DEFAULT,
            { data in
                let view = Unmanaged<View>.fromOpaque(data!).takeRetainedValue()
                (view.renderer as? WidgetAdapter)?.isRetainedUntilIdle = false
                return gboolean(0)
            }, Unmanaged.passRetained(view).toOpaque(), nil)
    }
}

private let holdersChanged: GToggleNotify = { data, _, isLast in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<WidgetAdapter>.fromOpaque(data!).takeUnretainedValue().widgetIsHeld(byOthers: isLast == 0)
    }
}

private let directionChanged: @convention(c) (OpaquePointer?, GtkTextDirection, gpointer?) -> Void = {
    _, _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<WidgetAdapter>.fromOpaque(data!).takeUnretainedValue().environmentMayHaveChanged()
    }
}

private let mapped: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<WidgetAdapter>.fromOpaque(data!).takeUnretainedValue().widgetIsBeingMapped()
    }
}

private let unmapped: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
    nonisolated(unsafe) let data = data  // GTK calls on the main thread.
    MainActor.assumeIsolated {
        Unmanaged<WidgetAdapter>.fromOpaque(data!).takeUnretainedValue().widgetWasUnmapped()
    }
}

private let scaleFactorChanged: @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void = {
    _, _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated {
        Unmanaged<WidgetAdapter>.fromOpaque(data!).takeUnretainedValue().displayDidChange()
    }
}
