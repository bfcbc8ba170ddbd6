import CGtk
import Kingfisher

/// The GObject class of our widgets: a GtkWidget that delegates to its adapter.
///
/// Registered from Swift. An instance is a GtkWidget followed by one unretained pointer to its adapter, which
/// the adapter clears on deinit. GTK calls all of this on the main thread.
@MainActor enum ViewWidgetClass {
    /// Creates a widget with a floating reference and without an adapter.
    static func makeWidget(_ role: ViewAccessibility.Role) -> UnsafeMutablePointer<GtkWidget> {
        .make(type, role)
    }

    static func setOwner(of widget: UnsafeMutablePointer<GtkWidget>, to owner: ContainerAdapter?) {
        slot(of: widget).pointee = owner.map { Unmanaged.passUnretained($0).toOpaque() }
    }

    /// The view that `widget` shows; nil for a widget of another class.
    static func view(of widget: UnsafeMutablePointer<GtkWidget>) -> View? {
        let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
        return g_type_check_instance_is_a(instance, type) != 0 ? owner(of: widget)?.view : nil
    }

    /// The views in a tree of widgets, without those inside another view.
    static func views(in widget: UnsafeMutablePointer<GtkWidget>) -> [View] {
        if let view = view(of: widget) { return [view] }
        var views: [View] = []
        var child = gtk_widget_get_first_child(widget)
        while let current = child {
            views += self.views(in: current)
            child = gtk_widget_get_next_sibling(current)
        }
        return views
    }

    fileprivate static func owner(of widget: UnsafeMutablePointer<GtkWidget>?) -> ContainerAdapter? {
        guard let widget, let owner = slot(of: widget).pointee else { return nil }
        return Unmanaged<ContainerAdapter>.fromOpaque(owner).takeUnretainedValue()
    }

    private static func slot(
        of widget: UnsafeMutablePointer<GtkWidget>
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (UnsafeMutableRawPointer(widget) + Int(parent.instance_size))
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Queried at run time, because the size of a GtkWidget may differ from that in the headers.
    private static let parent: GTypeQuery = {
        var query = GTypeQuery()
        g_type_query(gtk_widget_get_type(), &query)
        return query
    }()

    private static let type: GType = {
        var info = GTypeInfo()
        info.class_size = guint16(parent.class_size)
        info.instance_size =
            guint16(parent.instance_size) + guint16(MemoryLayout<UnsafeMutableRawPointer?>.size)
        info.class_init = { classPointer, _ in ViewWidgetVirtuals.install(in: classPointer!) }
        return g_type_register_static(
            gtk_widget_get_type(), "KingfisherView", &info, GTypeFlags(rawValue: 0))
    }()
}

/// The overridden functions. C cannot declare that it calls on the main thread, so they copy their parameters
/// to `nonisolated(unsafe)` variables; `assumeIsolated` checks the thread.
private enum ViewWidgetVirtuals {
    /// The parent class, to chain up to; written once, before any instance exists.
    nonisolated(unsafe) static var parentClass: UnsafeMutablePointer<GtkWidgetClass>!

    static func install(in classPointer: UnsafeMutableRawPointer) {
        parentClass = g_type_class_peek_parent(classPointer).assumingMemoryBound(to: GtkWidgetClass.self)
        let widgetClass = classPointer.assumingMemoryBound(to: GtkWidgetClass.self)
        gtk_widget_class_set_css_name(widgetClass, "kingfisherview")
        widgetClass.pointee.snapshot = snapshot
        widgetClass.pointee.get_request_mode = requestMode
        widgetClass.pointee.measure = measure
        widgetClass.pointee.size_allocate = allocate
        widgetClass.pointee.map = map
        widgetClass.pointee.unmap = unmap
        classPointer.assumingMemoryBound(to: GObjectClass.self).pointee.dispose = dispose
    }

    static let snapshot: @convention(c) (UnsafeMutablePointer<GtkWidget>?, OpaquePointer?) -> Void = {
        nonisolated(unsafe) let (widget, snapshot) = ($0, $1)
        MainActor.assumeIsolated {
            if let snapshot { ViewWidgetClass.owner(of: widget)?.snapshot(on: snapshot) }
        }
    }

    static let requestMode: @convention(c) (UnsafeMutablePointer<GtkWidget>?) -> GtkSizeRequestMode = {
        nonisolated(unsafe) let widget = $0
        return MainActor.assumeIsolated {
            ViewWidgetClass.owner(of: widget)?.requestMode ?? GTK_SIZE_REQUEST_CONSTANT_SIZE
        }
    }

    static let measure:
        @convention(c) (
            UnsafeMutablePointer<GtkWidget>?, GtkOrientation, Int32, UnsafeMutablePointer<Int32>?,
            UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
        ) -> Void = { widget, orientation, across, minimum, natural, minimumBaseline, naturalBaseline in
            nonisolated(unsafe) let widget = widget
            let size = MainActor.assumeIsolated {
                ViewWidgetClass.owner(of: widget)?.measure(orientation, across: across) ?? (
                    minimum: 0, natural: 0
                )
            }
            minimum?.pointee = size.minimum
            natural?.pointee = size.natural
            minimumBaseline?.pointee = -1
            naturalBaseline?.pointee = -1
        }

    static let allocate: @convention(c) (UnsafeMutablePointer<GtkWidget>?, Int32, Int32, Int32) -> Void = {
        widget, width, height, _ in
        nonisolated(unsafe) let widget = widget
        MainActor.assumeIsolated {
            ViewWidgetClass.owner(of: widget)?.allocate(width: width, height: height)
        }
    }

    static let map: @convention(c) (UnsafeMutablePointer<GtkWidget>?) -> Void = { widget in
        parentClass.pointee.map(widget)
        nonisolated(unsafe) let widget = widget
        MainActor.assumeIsolated { ViewWidgetClass.owner(of: widget)?.displayDidChange() }
    }

    static let unmap: @convention(c) (UnsafeMutablePointer<GtkWidget>?) -> Void = { widget in
        parentClass.pointee.unmap(widget)
        nonisolated(unsafe) let widget = widget
        MainActor.assumeIsolated { ViewWidgetClass.owner(of: widget)?.displayDidChange() }
    }

    static let dispose: @convention(c) (UnsafeMutablePointer<GObject>?) -> Void = { object in
        // GtkWidget warns about children that remain when it is finalised.
        let widget = UnsafeMutableRawPointer(object!).assumingMemoryBound(to: GtkWidget.self)
        while let child = gtk_widget_get_first_child(widget) { gtk_widget_unparent(child) }
        parentClass.pointee.parent_class.dispose(object)
    }
}
