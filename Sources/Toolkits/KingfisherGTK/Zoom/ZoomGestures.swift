import CGtk
import Foundation
import Kingfisher

/// The wheel, pointer, fingers and keys over a canvas.
@MainActor final class ZoomGestures {
    private unowned let canvas: ZoomCanvas
    private let drag: OpaquePointer
    private let pinch: OpaquePointer
    private let click: OpaquePointer
    private let scroll: OpaquePointer
    private let motion: OpaquePointer
    private let keys: OpaquePointer
    private var connections: [SignalConnection] = []
    /// In points; nil while the pointer is elsewhere.
    private var pointer: CGPoint?
    private var dragStart: CGPoint?
    /// The zoom at the start of a pinch, and the image point between the fingers.
    private var pinchStart: (zoom: Double, imagePoint: CGPoint)?

    /// Adds controllers to the widget of `canvas`, which owns this object.
    init(_ canvas: ZoomCanvas) {
        self.canvas = canvas
        drag = gtk_gesture_drag_new()
        pinch = gtk_gesture_zoom_new()
        click = gtk_gesture_click_new()
        scroll = gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES)
        motion = gtk_event_controller_motion_new()
        keys = gtk_event_controller_key_new()
        for controller in controllers {
            g_object_ref(UnsafeMutableRawPointer(controller))
            gtk_widget_add_controller(canvas.widget, controller)
        }
        connect(drag, "drag-begin", unsafeBitCast(dragBegan, to: GCallback.self))
        connect(drag, "drag-update", unsafeBitCast(dragMoved, to: GCallback.self))
        connect(drag, "drag-end", unsafeBitCast(dragEnded, to: GCallback.self))
        connect(pinch, "begin", unsafeBitCast(pinchBegan, to: GCallback.self))
        connect(pinch, "scale-changed", unsafeBitCast(pinchScaled, to: GCallback.self))
        connect(click, "pressed", unsafeBitCast(pressed, to: GCallback.self))
        connect(scroll, "scroll", unsafeBitCast(scrolled, to: GCallback.self))
        connect(motion, "enter", unsafeBitCast(pointerMoved, to: GCallback.self))
        connect(motion, "motion", unsafeBitCast(pointerMoved, to: GCallback.self))
        connect(motion, "leave", unsafeBitCast(pointerLeft, to: GCallback.self))
        connect(keys, "key-pressed", unsafeBitCast(keyPressed, to: GCallback.self))
    }

    isolated deinit {
        connections = []
        for controller in controllers {
            if let widget = gtk_event_controller_get_widget(controller) {
                gtk_widget_remove_controller(widget, controller)
            }
            g_object_unref(UnsafeMutableRawPointer(controller))
        }
    }

    private var controllers: [OpaquePointer] { [drag, pinch, click, scroll, motion, keys] }

    private func connect(_ controller: OpaquePointer, _ signal: String, _ callback: @escaping GCallback) {
        let connection = SignalConnection(adopting: g_object_ref(UnsafeMutableRawPointer(controller)))
        connection.connect(signal, to: callback, Unmanaged.passUnretained(self).toOpaque())
        connections.append(connection)
    }

    // MARK: Dragging

    /// The scrolled window moves what a finger drags, and lets it glide.
    private var isTouch: Bool {
        guard let event = gtk_event_controller_get_current_event(drag),
            let device = gdk_event_get_device(event)
        else { return false }
        return gdk_device_get_source(device) == GDK_SOURCE_TOUCHSCREEN
    }

    fileprivate func beginDrag() {
        gtk_widget_grab_focus(canvas.widget)
        guard canvas.canScroll, !isTouch, let offset = canvas.viewport?.offset else {
            gtk_gesture_set_state(drag, GTK_EVENT_SEQUENCE_DENIED)
            return
        }
        dragStart = offset
    }

    fileprivate func drag(by distance: CGPoint) {
        guard let dragStart else { return }
        gtk_gesture_set_state(drag, GTK_EVENT_SEQUENCE_CLAIMED)
        canvas.setCursor("grabbing")
        let distance = canvas.inPixels(distance)
        canvas.change { $0.scroll(to: CGPoint(x: dragStart.x - distance.x, y: dragStart.y - distance.y)) }
    }

    fileprivate func endDrag() {
        dragStart = nil
        canvas.setCursor("grab")
    }

    // MARK: Pinching

    /// The centre between the fingers, or the pointer, in pixels.
    private var pinchCenter: CGPoint {
        var (x, y) = (0.0, 0.0)
        // GTK asks the last event for its kind, and there is none for a signal that a program emits.
        let hasEvent = gtk_gesture_get_last_event(pinch, gtk_gesture_get_last_updated_sequence(pinch)) != nil
        if hasEvent, gtk_gesture_get_bounding_box_center(pinch, &x, &y) != 0 {
            return canvas.inPixels(CGPoint(x: x, y: y))
        }
        let size = canvas.viewport?.viewSize ?? .zero
        return pointer.map(canvas.inPixels) ?? CGPoint(x: size.width / 2, y: size.height / 2)
    }

    fileprivate func beginPinch() {
        guard let viewport = canvas.viewport else { return }
        gtk_gesture_set_state(pinch, GTK_EVENT_SEQUENCE_CLAIMED)
        pinchStart = (viewport.zoom, viewport.imagePoint(at: pinchCenter))
    }

    fileprivate func pinch(to scale: Double) {
        guard let (zoom, imagePoint) = pinchStart else { return }
        let center = pinchCenter
        canvas.change { $0.setZoom(zoom * scale, showing: imagePoint, at: center) }
    }

    // MARK: Clicks, wheel and keys

    fileprivate func press(_ count: Int32, at point: CGPoint) {
        guard count == 2, let zoom = canvas.viewport?.toggledZoom else { return }
        canvas.zoom(to: zoom, at: point)
    }

    fileprivate func scroll(_ dy: Double) -> Bool {
        let command = ZoomCommand(
            scrolling: dy, unit: gtk_event_controller_scroll_get_unit(scroll),
            modifiers: gtk_event_controller_get_current_event_state(scroll))
        return command.map { canvas.perform($0, at: pointer) } ?? false
    }

    fileprivate func movePointer(to point: CGPoint?) { pointer = point }

    fileprivate func press(key: guint, modifiers: GdkModifierType) -> Bool {
        ZoomCommand(key: key, modifiers: modifiers).map { canvas.perform($0) } ?? false
    }
}

/// Calls `body` with the gestures of a signal. GTK emits signals on the main thread.
private func gestures<Result: Sendable>(
    _ data: gpointer?, _ body: @MainActor (ZoomGestures) -> Result
) -> Result {
    nonisolated(unsafe) let data = data  // GTK calls on the main thread.
    return MainActor.assumeIsolated {
        body(Unmanaged<ZoomGestures>.fromOpaque(data!).takeUnretainedValue())
    }
}

private typealias PointHandler = @convention(c) (OpaquePointer?, Double, Double, gpointer?) -> Void

private let dragBegan: PointHandler = { _, _, _, data in gestures(data) { $0.beginDrag() } }
private let dragMoved: PointHandler = { _, x, y, data in gestures(data) { $0.drag(by: CGPoint(x: x, y: y)) } }
private let dragEnded: PointHandler = { _, _, _, data in gestures(data) { $0.endDrag() } }
private let pointerMoved: PointHandler = { _, x, y, data in
    gestures(data) { $0.movePointer(to: CGPoint(x: x, y: y)) }
}
private let pointerLeft: @convention(c) (OpaquePointer?, gpointer?) -> Void = { _, data in
    gestures(data) { $0.movePointer(to: nil) }
}
private let pinchBegan: @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void = { _, _, data in
    gestures(data) { $0.beginPinch() }
}
private let pinchScaled: @convention(c) (OpaquePointer?, Double, gpointer?) -> Void = { _, scale, data in
    gestures(data) { $0.pinch(to: scale) }
}
private let pressed: @convention(c) (OpaquePointer?, Int32, Double, Double, gpointer?) -> Void = {
    _, count, x, y, data in
    gestures(data) { $0.press(count, at: CGPoint(x: x, y: y)) }
}
private let scrolled: @convention(c) (OpaquePointer?, Double, Double, gpointer?) -> gboolean = {
    _, _, dy, data in
    gestures(data) { $0.scroll(dy) ? 1 : 0 }
}
private typealias KeyHandler =
    @convention(c) (OpaquePointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean

private let keyPressed: KeyHandler = { _, key, _, modifiers, data in
    gestures(data) { $0.press(key: key, modifiers: modifiers) ? 1 : 0 }
}
