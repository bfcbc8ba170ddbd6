import CGtk
import Kingfisher

/// The GObject class of the widget that draws a zoomable image: a GtkWidget that a GtkScrolledWindow scrolls,
/// and that delegates to its `ZoomCanvas`.
///
/// An instance is a GtkWidget followed by one unretained pointer to its canvas, which the canvas clears on
/// deinit. GTK calls all of this on the main thread.
@MainActor enum ZoomCanvasClass {
    /// Creates a widget with a floating reference and without a canvas.
    static func makeWidget() -> UnsafeMutablePointer<GtkWidget> { .make(type, .image) }

    static func setOwner(of widget: UnsafeMutablePointer<GtkWidget>, to owner: ZoomCanvas?) {
        slot(of: widget).pointee = owner.map { Unmanaged.passUnretained($0).toOpaque() }
    }

    fileprivate static func owner(of widget: UnsafeMutablePointer<GtkWidget>?) -> ZoomCanvas? {
        guard let widget, let owner = slot(of: widget).pointee else { return nil }
        return Unmanaged<ZoomCanvas>.fromOpaque(owner).takeUnretainedValue()
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
        info.class_init = { classPointer, _ in ZoomCanvasVirtuals.install(in: classPointer!) }
        let type = g_type_register_static(
            gtk_widget_get_type(), "KingfisherZoomCanvas", &info, GTypeFlags(rawValue: 0))
        var scrollable = GInterfaceInfo()
        g_type_add_interface_static(type, gtk_scrollable_get_type(), &scrollable)
        return type
    }()
}

/// The properties of GtkScrollable.
private enum ScrollableProperty: guint, CaseIterable {
    case horizontal = 1
    case vertical, horizontalPolicy, verticalPolicy

    var name: String {
        switch self {
        case .horizontal: "hadjustment"
        case .vertical: "vadjustment"
        case .horizontalPolicy: "hscroll-policy"
        case .verticalPolicy: "vscroll-policy"
        }
    }

    var axis: ScrollAxis? {
        switch self {
        case .horizontal: .horizontal
        case .vertical: .vertical
        case .horizontalPolicy, .verticalPolicy: nil
        }
    }
}

/// The overridden functions; see `ViewWidgetVirtuals`.
private enum ZoomCanvasVirtuals {
    static func install(in classPointer: UnsafeMutableRawPointer) {
        let widgetClass = classPointer.assumingMemoryBound(to: GtkWidgetClass.self)
        gtk_widget_class_set_css_name(widgetClass, "kingfisherzoom")
        widgetClass.pointee.snapshot = snapshot
        widgetClass.pointee.size_allocate = allocate
        widgetClass.pointee.direction_changed = directionChanged
        let objectClass = classPointer.assumingMemoryBound(to: GObjectClass.self)
        objectClass.pointee.get_property = getProperty
        objectClass.pointee.set_property = setProperty
        for property in ScrollableProperty.allCases {
            g_object_class_override_property(objectClass, property.rawValue, property.name)
        }
    }

    static let snapshot: @convention(c) (UnsafeMutablePointer<GtkWidget>?, OpaquePointer?) -> Void = {
        nonisolated(unsafe) let (widget, snapshot) = ($0, $1)  // GTK calls on the main thread.
        MainActor.assumeIsolated {
            if let snapshot { ZoomCanvasClass.owner(of: widget)?.draw(on: snapshot) }
        }
    }

    static let allocate: @convention(c) (UnsafeMutablePointer<GtkWidget>?, Int32, Int32, Int32) -> Void = {
        widget, _, _, _ in
        nonisolated(unsafe) let widget = widget  // GTK calls on the main thread.
        MainActor.assumeIsolated { ZoomCanvasClass.owner(of: widget)?.sizeDidChange() }
    }

    static let directionChanged: @convention(c) (UnsafeMutablePointer<GtkWidget>?, GtkTextDirection) -> Void =
        { widget, _ in
            nonisolated(unsafe) let widget = widget  // GTK calls on the main thread.
            MainActor.assumeIsolated { ZoomCanvasClass.owner(of: widget)?.updateAdjustments() }
        }

    static let getProperty:
        @convention(c) (
            UnsafeMutablePointer<GObject>?, guint, UnsafeMutablePointer<GValue>?,
            UnsafeMutablePointer<GParamSpec>?
        ) -> Void = { object, id, value, _ in
            nonisolated(unsafe) let (object, value) = (object, value)  // GTK calls on the main thread.
            MainActor.assumeIsolated {
                guard let axis = ScrollableProperty(rawValue: id)?.axis else {
                    return g_value_set_enum(value, gint(GTK_SCROLL_MINIMUM.rawValue))
                }
                let canvas = ZoomCanvasClass.owner(of: UnsafeMutableRawPointer(object)?.widget)
                g_value_set_object(value, canvas?.adjustment(of: axis).map { UnsafeMutableRawPointer($0) })
            }
        }

    /// The scroll policies have no effect: the image has no minimum size.
    static let setProperty:
        @convention(c) (
            UnsafeMutablePointer<GObject>?, guint, UnsafePointer<GValue>?,
            UnsafeMutablePointer<GParamSpec>?
        ) -> Void = { object, id, value, _ in
            nonisolated(unsafe) let (object, value) = (object, value)  // GTK calls on the main thread.
            MainActor.assumeIsolated {
                guard let axis = ScrollableProperty(rawValue: id)?.axis else { return }
                let adjustment = g_value_get_object(value)?.assumingMemoryBound(to: GtkAdjustment.self)
                ZoomCanvasClass.owner(of: UnsafeMutableRawPointer(object)?.widget)?
                    .setAdjustment(adjustment, of: axis)
            }
        }
}

extension UnsafeMutableRawPointer {
    fileprivate var widget: UnsafeMutablePointer<GtkWidget> { assumingMemoryBound(to: GtkWidget.self) }
}
