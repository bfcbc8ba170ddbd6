import CGtk
import Foundation
import Kingfisher

/// The widget that draws a zoomable image, its viewport and its tiles.
@MainActor final class ZoomCanvas {
    /// The canvas owns a reference.
    let widget: UnsafeMutablePointer<GtkWidget>
    /// Nil without an image.
    private(set) var viewport: ZoomViewport?
    private(set) var loader: TileLoader<Texture>?
    /// Called after the zoom has changed.
    var onZoomChange: (Double) -> Void = { _ in }
    /// Called when the first overview has arrived or failed.
    var onReady: () -> Void = {}
    var onFailure: (KingfisherError) -> Void = { _ in }

    private var adjustments: [ScrollAxis: SharedAdjustment] = [:]
    private(set) var scaleFactor: CGFloat = 1
    private var isVisible = false
    private var isInLayout = false
    /// The tiles in the last frame, which GTK has uploaded.
    private(set) var drawnTiles: Set<TiledImage.Tile> = []
    private var hasFrameRequest = false

    init() {
        widget = ZoomCanvasClass.makeWidget()
        g_object_ref_sink(UnsafeMutableRawPointer(widget))
        ZoomCanvasClass.setOwner(of: widget, to: self)
        gtk_widget_set_focusable(widget, 1)
        gtk_widget_set_overflow(widget, GTK_OVERFLOW_HIDDEN)
    }

    isolated deinit {
        ZoomCanvasClass.setOwner(of: widget, to: nil)
        g_object_unref(UnsafeMutableRawPointer(widget))
    }

    /// Shows all of an image; nil shows nothing.
    func show(_ source: (any TileProvider)?) {
        loader?.pause()
        drawnTiles = []
        loader = source.map { TileLoader($0, make: DrawableTile.texture) }
        loader?.onChange = { [weak self] in self?.contentDidArrive() }
        loader?.onFailure = { [weak self] in self?.onFailure($0) }
        let oldZoom = viewport?.zoom
        viewport = source.map { ZoomViewport(imageSize: $0.size, viewSize: sizeInPixels) }
        viewportDidChange(from: oldZoom)
    }

    private func contentDidArrive() {
        gtk_widget_queue_draw(widget)
        if loader?.isWaiting == false { onReady() }
    }

    // MARK: Viewport

    func change(_ body: (inout ZoomViewport) -> Void) {
        guard var new = viewport else { return }
        body(&new)
        guard new != viewport else { return }
        let oldZoom = viewport?.zoom
        viewport = new
        viewportDidChange(from: oldZoom)
    }

    /// Changes the zoom. The point of the image that is at `point`, in points, stays there.
    func zoom(to zoom: Double, at point: CGPoint?) {
        change { $0.setZoom(zoom, at: point.map(inPixels)) }
    }

    func inPixels(_ point: CGPoint) -> CGPoint {
        CGPoint(x: point.x * scaleFactor, y: point.y * scaleFactor)
    }

    var canScroll: Bool { viewport.map { $0.scrollableSize != .zero } ?? false }

    private var sizeInPixels: CGSize {
        CGSize(
            width: CGFloat(gtk_widget_get_width(widget)) * scaleFactor,
            height: CGFloat(gtk_widget_get_height(widget)) * scaleFactor)
    }

    private func viewportDidChange(from oldZoom: Double?) {
        updateAdjustments()
        gtk_widget_queue_draw(widget)
        guard let zoom = viewport?.zoom, zoom != oldZoom else { return }
        guard isInLayout else { return onZoomChange(zoom) }
        // A handler may change widgets, which GTK does not allow during a layout.
        Task { [weak self] in
            if let zoom = self?.viewport?.zoom { self?.onZoomChange(zoom) }
        }
    }

    func displayDidChange(_ display: ViewDisplay) {
        (scaleFactor, isVisible) = (display.scaleFactor, display.isVisible)
        if !isVisible { loader?.pause() }
        sizeDidChange()
    }

    func sizeDidChange() {
        let size = sizeInPixels
        isInLayout = true
        change { $0.resize(to: size) }
        // The scale can change alone, and there may be no image.
        updateAdjustments()
        isInLayout = false
    }

    // MARK: Scrolling

    func adjustment(of axis: ScrollAxis) -> UnsafeMutablePointer<GtkAdjustment>? {
        adjustments[axis]?.pointer
    }

    /// Sets an adjustment as GtkScrollable requires: nil creates one.
    func setAdjustment(_ pointer: UnsafeMutablePointer<GtkAdjustment>?, of axis: ScrollAxis) {
        guard pointer == nil || pointer != adjustments[axis]?.pointer else { return }
        let pointer = pointer ?? gtk_adjustment_new(0, 0, 0, 0, 0, 0)!
        adjustments[axis] = SharedAdjustment(pointer) { [weak self] in self?.didScroll() }
        updateAdjustments()
    }

    private var isRightToLeft: Bool { gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL }

    /// GTK counts from the right edge in layouts from right to left; the offset counts from the left.
    private func didScroll() {
        let horizontal = adjustments[.horizontal]
        let x = isRightToLeft ? horizontal?.valueFromEnd : horizontal?.value
        let y = adjustments[.vertical]?.value
        change { $0.scroll(to: inPixels(CGPoint(x: x ?? 0, y: y ?? 0))) }
    }

    func updateAdjustments() {
        let (view, scale) = (sizeInPixels, scaleFactor)
        let (limit, offset) = (viewport?.scrollableSize ?? .zero, viewport?.offset ?? .zero)
        let x = isRightToLeft ? limit.width - offset.x : offset.x
        adjustments[.horizontal]?.configure(
            value: x / scale, upper: (view.width + limit.width) / scale, page: view.width / scale)
        adjustments[.vertical]?.configure(
            value: offset.y / scale, upper: (view.height + limit.height) / scale, page: view.height / scale)
        setCursor("grab")
    }

    /// Sets the pointer's shape over an image that can be dragged.
    func setCursor(_ name: String) {
        gtk_widget_set_cursor_from_name(widget, canScroll ? name : nil)
    }

    // MARK: Drawing

    func draw(on snapshot: OpaquePointer) {
        guard let viewport, let loader, viewport.viewSize.width >= 1, viewport.viewSize.height >= 1 else {
            return
        }
        if isVisible { loader.show(viewport) }
        var drawing = ZoomDrawing(
            viewport: viewport, loader: loader, scale: scaleFactor, phase: phase, uploaded: drawnTiles)
        drawing.draw(on: snapshot)
        drawnTiles = drawing.drawn
        if drawing.isPartial { requestFrame() }
    }

    /// The distance of the widget's corner from the pixel grid of a surface with a fractional scale.
    private var phase: CGPoint {
        guard scaleFactor != scaleFactor.rounded(), let native = gtk_widget_get_native(widget) else {
            return .zero
        }
        var (x, y, left, top) = (0.0, 0.0, 0.0, 0.0)
        let root = UnsafeMutableRawPointer(native).assumingMemoryBound(to: GtkWidget.self)
        guard gtk_widget_translate_coordinates(widget, root, 0, 0, &x, &y) != 0 else { return .zero }
        gtk_native_get_surface_transform(native, &left, &top)
        let corner = inPixels(CGPoint(x: x + left, y: y + top))
        return CGPoint(x: corner.x - corner.x.rounded(.down), y: corner.y - corner.y.rounded(.down))
    }

    /// Draws again in the next frame; GTK ignores a request from within a frame.
    private func requestFrame() {
        guard !hasFrameRequest else { return }
        hasFrameRequest = true
        gtk_widget_add_tick_callback(
            widget,
            { _, _, data in
                let canvas = Unmanaged<ZoomCanvas>.fromOpaque(data!).takeUnretainedValue()
                canvas.hasFrameRequest = false
                gtk_widget_queue_draw(canvas.widget)
                return gboolean(0)
            }, Unmanaged.passRetained(self).toOpaque(), { Unmanaged<ZoomCanvas>.fromOpaque($0!).release() })
    }
}
