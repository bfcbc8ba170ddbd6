import CGtk
import Foundation
import Kingfisher

/// Shows a view as a widget of `ViewWidgetClass`: its own content below, its subviews on top.
@MainActor class ContainerAdapter: WidgetAdapter {
    private var children: [WidgetAdapter] = []
    private var wasAllocated = false
    private let wrapped: UnsafeMutablePointer<GtkWidget>?

    /// Places `wrapped` over the whole view and under its subviews, unless it has a parent or is a window.
    init(_ view: View, wrapping wrapped: UnsafeMutablePointer<GtkWidget>? = nil) {
        self.wrapped = wrapped
        // The wrapped GtkButton is the button, and the scrolled window has the zoomable image; a group in a
        // group does no harm.
        let role = view is Button || view is ZoomableImageView ? .group : view.accessibility.role
        super.init(ViewWidgetClass.makeWidget(role), of: view)
        ViewWidgetClass.setOwner(of: widget, to: self)
        if let wrapped {
            g_object_ref_sink(UnsafeMutableRawPointer(wrapped))
            if wrapped.canBeParented { gtk_widget_insert_after(wrapped, widget, nil) }
        }
        updateChildren()
    }

    isolated deinit {
        ViewWidgetClass.setOwner(of: widget, to: nil)
        if let wrapped { g_object_unref(UnsafeMutableRawPointer(wrapped)) }
    }

    /// The wrapped widget, unless the program has moved it elsewhere.
    private var content: UnsafeMutablePointer<GtkWidget>? {
        if let wrapped, holds(wrapped) { wrapped } else { nil }
    }

    private var shownChildren: [WidgetAdapter] { children.filter { holds($0.widget) } }

    private var parts: [UnsafeMutablePointer<GtkWidget>] {
        (content.map { [$0] } ?? []) + shownChildren.map(\.widget)
    }

    private var fillingParts: [UnsafeMutablePointer<GtkWidget>] {
        (content.map { [$0] } ?? [])
            + shownChildren.filter { $0.view?.placement == .fill }.map(\.widget)
    }

    private func holds(_ part: UnsafeMutablePointer<GtkWidget>) -> Bool {
        gtk_widget_get_parent(part) == widget
    }

    override var isLaidOut: Bool { wasAllocated }

    override func viewDidChange(_ change: ViewChange) {
        if case .subviews = change { updateChildren() }
        super.viewDidChange(change)
    }

    var contentSize: CGSize { .zero }

    func drawContent(on snapshot: OpaquePointer, size: CGSize) {}

    /// Opacity and transform are applied when drawing, because they differ from the view's own during an
    /// animation.
    override func updateAppearance() {
        guard let view else { return }
        gtk_widget_set_visible(widget, view.isHidden ? 0 : 1)
        gtk_widget_queue_draw(widget)
    }

    override func snapshot() -> (any ViewSnapshot)? {
        layOutNow()
        let (snapshot, size) = (gtk_snapshot_new()!, display.size)
        drawAll(on: snapshot, size: size, projection: Projection(of: widget))
        return gtk_snapshot_free_to_node(snapshot).map { NodeSnapshot($0, size: size) }
    }

    func drawAll(on snapshot: OpaquePointer, size: CGSize, projection: Projection) {
        drawContent(on: snapshot, size: size)
        // Outside of a frame a child may not have a layout yet; GTK does not draw such a child.
        for part in parts where gtk_widget_get_width(part) > 0 {
            gtk_widget_snapshot_child(widget, part, snapshot)
        }
    }

    /// Updates the layout before the next frame: GTK does not draw a widget that has changed since its last
    /// layout, such as a label with a new text.
    private func layOutNow() {
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        guard width > 0, height > 0 else { return }
        for part in parts {
            _ = (part.size(GTK_ORIENTATION_HORIZONTAL), part.size(GTK_ORIENTATION_VERTICAL))
        }
        allocate(width: width, height: height)
    }

    private func updateChildren() {
        guard let view else { return }
        let wanted = view.subviews.map(WidgetAdapter.adapter(of:))
        let wantedIDs = Set(wanted.map(ObjectIdentifier.init))
        for child in shownChildren where !wantedIDs.contains(ObjectIdentifier(child)) {
            gtk_widget_unparent(child.widget)
        }
        children = wanted
        var above: UnsafeMutablePointer<GtkWidget>?
        // GTK containers manage their own children, so a child of another container stays there. From the top
        // down, so that a child that comes to the front is the only one to move.
        for child in children.reversed() where holds(child.widget) || child.widget.canBeParented {
            if !holds(child.widget) || gtk_widget_get_next_sibling(child.widget) != above {
                gtk_widget_insert_before(child.widget, widget, above)
            }
            above = child.widget
        }
        gtk_widget_queue_resize(widget)
    }
}

/// The virtual functions of the widget.
extension ContainerAdapter {
    func snapshot(on snapshot: OpaquePointer) {
        draw(on: snapshot, size: display.size, projection: Projection(of: widget))
    }

    func draw(on snapshot: OpaquePointer, size: CGSize, projection: Projection) {
        guard let presentation = view?.presentation else { return }
        snapshot.draw(with: presentation, size: size) {
            drawAll(on: snapshot, size: size, projection: projection)
        }
    }

    var requestMode: GtkSizeRequestMode {
        fillingParts.lazy.filter { gtk_widget_should_layout($0) != 0 }.map { gtk_widget_get_request_mode($0) }
            .first { $0 != GTK_SIZE_REQUEST_CONSTANT_SIZE } ?? GTK_SIZE_REQUEST_CONSTANT_SIZE
    }

    /// The natural size comes from the content; the minimum comes from the wrapped widget and from subviews
    /// that fill the view.
    ///
    /// - Parameter across: the size in the other direction; -1 if unknown.
    func measure(_ orientation: GtkOrientation, across: Int32) -> (minimum: Int32, natural: Int32) {
        let length = orientation == GTK_ORIENTATION_HORIZONTAL ? contentSize.width : contentSize.height
        var minimum: Int32 = 0
        var natural = Int32(points: length.rounded(.up))
        for part in fillingParts {
            let size = part.size(orientation, across: across)
            minimum = max(minimum, size.minimum)
            natural = max(natural, size.natural)
        }
        return (minimum, max(minimum, natural))
    }

    func allocate(width: Int32, height: Int32) {
        if let content, gtk_widget_should_layout(content) != 0 {
            var frame = GtkAllocation(x: 0, y: 0, width: width, height: height)
            gtk_widget_size_allocate(content, &frame, -1)
        }
        for child in shownChildren where gtk_widget_should_layout(child.widget) != 0 {
            var frame = GtkAllocation(x: 0, y: 0, width: width, height: height)
            if case .center(let size, let offset) = child.view?.placement {
                frame.width =
                    size.map { Int32(points: $0.width) }
                    ?? child.widget.size(GTK_ORIENTATION_HORIZONTAL).natural
                frame.height =
                    size.map { Int32(points: $0.height) }
                    ?? child.widget.size(GTK_ORIENTATION_VERTICAL).natural
                let isMirrored = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL
                frame.x = (width - frame.width) / 2 + Int32(offset: isMirrored ? -offset.x : offset.x)
                frame.y = (height - frame.height) / 2 + Int32(offset: offset.y)
            }
            gtk_widget_size_allocate(child.widget, &frame, -1)
        }
        wasAllocated = true
        displayDidChange()
    }
}

extension UnsafeMutablePointer<GtkWidget> {
    @MainActor fileprivate var canBeParented: Bool {
        gtk_widget_get_parent(self) == nil
            && g_type_check_instance_is_a(
                UnsafeMutableRawPointer(self).assumingMemoryBound(to: GTypeInstance.self),
                gtk_root_get_type()) == 0
    }

    @MainActor fileprivate func size(
        _ orientation: GtkOrientation, across: Int32 = -1
    ) -> (minimum: Int32, natural: Int32) {
        var (minimum, natural): (Int32, Int32) = (0, 0)
        gtk_widget_measure(self, orientation, across, &minimum, &natural, nil, nil)
        return (minimum, natural)
    }
}
