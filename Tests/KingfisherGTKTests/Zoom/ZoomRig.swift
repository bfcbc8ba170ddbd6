import CGtk
import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherGTK

/// A zoomable image view in a window, without scroll bars.
@MainActor final class ZoomRig {
    let view = ZoomableImageView()
    let window: TestWindow
    private(set) var errors: [KingfisherError] = []
    private(set) var zooms: [Double] = []

    /// Shows `source` and waits for its overview.
    init(_ source: any TileProvider, width: Int32 = 700, height: Int32 = 600) async throws {
        window = TestWindow(width: width, height: height)
        gtk_scrolled_window_set_policy(
            OpaquePointer(view.content), GTK_POLICY_EXTERNAL, GTK_POLICY_EXTERNAL)
        view.onFailure = { [weak self] in self?.errors.append($0) }
        view.onZoomChange = { [weak self] in self?.zooms.append($0) }
        try #require(await window.present(view))
        view.canvas.show(source)
        try #require(await GTK.wait(upTo: 60) { self.view.canvas.loader?.isWaiting == false })
    }

    var viewport: ZoomViewport {
        get throws { try #require(view.canvas.viewport) }
    }

    /// Waits until the canvas has requested, decoded and drawn all tiles of its viewport.
    func settle() async throws {
        try #require(
            await GTK.wait {
                guard let loader = view.canvas.loader, loader.viewport == view.canvas.viewport else {
                    return false
                }
                return view.canvas.drawnTiles.isSuperset(of: loader.visible.tiles(nearestTo: .zero))
            })
    }

    func screenshot() async throws -> Screenshot {
        try await settle()
        return try await Screenshot.take(of: view)
    }

    /// A controller of the canvas.
    func controller(_ type: GType) throws -> OpaquePointer {
        let model = gtk_widget_observe_controllers(view.canvas.widget)
        defer { g_object_unref(model.map { UnsafeMutableRawPointer($0) }) }
        for index in 0..<g_list_model_get_n_items(model) {
            guard let item = g_list_model_get_item(model, index) else { continue }
            defer { g_object_unref(item) }
            let instance = item.assumingMemoryBound(to: GTypeInstance.self)
            if g_type_check_instance_is_a(instance, type) != 0 { return OpaquePointer(item) }
        }
        throw CocoaError(.featureUnsupported)
    }

    @discardableResult
    func key(_ key: Int32, _ modifiers: GdkModifierType = GdkModifierType(rawValue: 0)) throws -> Bool {
        try emit(
            "key-pressed", on: controller(gtk_event_controller_key_get_type()),
            [.uint(guint(key)), .uint(0), .flags(modifiers.rawValue, gdk_modifier_type_get_type())])
    }

    @discardableResult
    func wheel(_ dy: Double) throws -> Bool {
        try emit("scroll", on: controller(gtk_event_controller_scroll_get_type()), [.double(0), .double(dy)])
    }

    func point(_ x: Double, _ y: Double) throws {
        try emit(
            "motion", on: controller(gtk_event_controller_motion_get_type()), [.double(x), .double(y)])
    }

    func doubleClick(_ x: Double, _ y: Double) throws {
        let click = try controller(gtk_gesture_click_get_type())
        for count in [Int32(1), 2] {
            try emit("pressed", on: click, [.int(count), .double(x), .double(y)])
        }
    }

    func pinch(_ scales: Double...) throws {
        let pinch = try controller(gtk_gesture_zoom_get_type())
        try emit("begin", on: pinch, [.boxed(gdk_event_sequence_get_type())])
        for scale in scales { try emit("scale-changed", on: pinch, [.double(scale)]) }
    }

    func drag(_ path: (Double, Double)...) throws {
        let drag = try controller(gtk_gesture_drag_get_type())
        try emit("drag-begin", on: drag, [.double(300), .double(300)])
        for (x, y) in path { try emit("drag-update", on: drag, [.double(x), .double(y)]) }
        try emit("drag-end", on: drag, [.double(path.last?.0 ?? 0), .double(path.last?.1 ?? 0)])
    }
}

/// A parameter of a signal.
enum SignalParameter {
    case double(Double), int(Int32), uint(guint)
    case flags(guint, GType)
    /// No value.
    case boxed(GType)

    fileprivate var value: GValue {
        var value = GValue()
        switch self {
        case .double(let number):
            g_value_init(&value, g_type_from_name("gdouble"))
            g_value_set_double(&value, number)
        case .int(let number):
            g_value_init(&value, g_type_from_name("gint"))
            g_value_set_int(&value, number)
        case .uint(let number):
            g_value_init(&value, g_type_from_name("guint"))
            g_value_set_uint(&value, number)
        case .flags(let bits, let type):
            g_value_init(&value, type)
            g_value_set_flags(&value, bits)
        case .boxed(let type):
            g_value_init(&value, type)
        }
        return value
    }
}

/// Emits a signal as GTK does for an event. Returns what its handlers return, if that is a Boolean.
@MainActor @discardableResult
func emit(_ signal: String, on object: OpaquePointer, _ parameters: [SignalParameter]) throws -> Bool {
    let instance = UnsafeMutableRawPointer(object)
    let type = instance.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
    let id = g_signal_lookup(signal, type)
    try #require(id != 0)
    var target = GValue()
    g_value_init(&target, type)
    g_value_set_object(&target, instance)
    var values = [target] + parameters.map(\.value)
    defer { for index in values.indices { g_value_unset(&values[index]) } }
    var query = GSignalQuery()
    g_signal_query(id, &query)
    guard query.return_type == g_type_from_name("gboolean") else {
        g_signal_emitv(&values, id, 0, nil)
        return true
    }
    var result = GValue()
    g_value_init(&result, query.return_type)
    g_signal_emitv(&values, id, 0, &result)
    return g_value_get_boolean(&result) != 0
}
