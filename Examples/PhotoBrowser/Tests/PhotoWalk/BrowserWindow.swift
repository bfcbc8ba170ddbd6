import Foundation
import KingfisherGTK
import PhotoBrowser

/// The window of the walk: finds and uses its widgets as a user does.
@MainActor final class BrowserWindow {
    let browser = PhotoBrowser()
    private(set) var screenshots: [URL] = []
    private let window: UnsafeMutablePointer<GtkWindow>
    private let output: URL

    init(_ app: Application, output: URL) throws {
        self.output = output
        let size = CGSize(width: 1000, height: 700)
        guard let window = app.showWindow(title: "Photos", size: size, content: browser) else {
            throw Failure("no window")
        }
        self.window = window
    }

    private var widget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self)
    }

    /// The keyboard focus.
    var focus: UnsafeMutablePointer<GtkWidget>? { gtk_window_get_focus(window) }

    /// Whether the page with a widget is shown.
    func shows(_ view: View) -> Bool { gtk_widget_get_mapped(view.widget) != 0 }

    /// The height of a view, as a part of the window's.
    func height(of view: View) -> Double {
        Double(gtk_widget_get_height(view.widget)) / Double(gtk_widget_get_height(browser.widget))
    }

    var width: Int32 { gtk_widget_get_width(browser.widget) }

    func resize(width: Int32, height: Int32) { gtk_window_set_default_size(window, width, height) }

    /// Clicks the visible button with this name, which must be sensitive.
    func click(_ name: String) throws {
        guard let button = button(name), gtk_widget_is_sensitive(button) != 0 else {
            throw Failure("there is no button “\(name)” to click")
        }
        // The signal that GTK sends to the button on Enter.
        guard gtk_widget_activate(button) != 0 else { throw Failure("“\(name)” cannot be clicked") }
    }

    func button(_ name: String) -> UnsafeMutablePointer<GtkWidget>? {
        Self.all(in: widget).first { widget in
            gtk_widget_get_mapped(widget) != 0
                && gtk_widget_get_tooltip_text(widget).map { String(cString: $0) } == name
        }
    }

    /// The icons of buttons on screen that the theme does not have.
    var missingIcons: [String] {
        let theme = gtk_icon_theme_get_for_display(gtk_widget_get_display(widget))
        return Self.all(in: widget).compactMap { widget in
            let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
            guard g_type_check_instance_is_a(instance, gtk_image_get_type()) != 0,
                let name = gtk_image_get_icon_name(OpaquePointer(widget)),
                gtk_icon_theme_has_icon(theme, name) == 0
            else { return nil }
            return String(cString: name)
        }
    }

    /// Presses a key of the viewer.
    func press(_ key: String) throws {
        let content = browser.viewer.content
        let controllers = gtk_widget_observe_controllers(content)
        defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
        for index in 0..<g_list_model_get_n_items(controllers) {
            guard let controller = g_list_model_get_item(controllers, index) else { continue }
            defer { g_object_unref(controller) }
            guard
                g_type_check_instance_is_a(
                    controller.assumingMemoryBound(to: GTypeInstance.self),
                    gtk_shortcut_controller_get_type()) != 0,
                let shortcut = g_list_model_get_item(OpaquePointer(controller), 0)
            else { continue }
            defer { g_object_unref(shortcut) }
            let trigger = gtk_shortcut_trigger_to_string(gtk_shortcut_get_trigger(OpaquePointer(shortcut)))
            defer { g_free(trigger) }
            guard trigger.map({ String(cString: $0) }) == key else { continue }
            gtk_shortcut_action_activate(
                gtk_shortcut_get_action(OpaquePointer(shortcut)), GtkShortcutActionFlags(rawValue: 0),
                content,
                nil)
            return
        }
        throw Failure("the viewer has no key \(key)")
    }

    /// Fails unless a condition holds within 20 seconds.
    func expect(_ what: String, _ condition: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while !condition() {
            guard ContinuousClock.now < end else { throw Failure("not so after 20 s: \(what)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits until the next frames are drawn, and writes the window to `name`.png.
    func photograph(_ name: String) async throws {
        // Images appear with a frame of their own after they are decoded.
        for _ in 0..<20 {
            gtk_widget_queue_draw(widget)
            try await Task.sleep(for: .milliseconds(20))
        }
        var texture: OpaquePointer?
        try await expect("the window is drawn for \(name)") {
            texture = content
            return texture != nil
        }
        guard let texture else { return }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        let file = output.appending(path: "\(name).png")
        guard gdk_texture_save_to_png(texture, file.path) != 0 else {
            throw Failure("cannot write \(file.path)")
        }
        screenshots.append(file)
    }

    /// What the window shows, to be released; nil before it is drawn.
    private var content: OpaquePointer? {
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        let paintable = gtk_widget_paintable_new(widget)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let scale = gtk_widget_get_scale_factor(widget)
        let snapshot = gtk_snapshot_new()
        gtk_snapshot_scale(snapshot, Float(scale), Float(scale))
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        let origin = graphene_point_t(x: 0, y: 0)
        let size = graphene_size_t(width: Float(width * scale), height: Float(height * scale))
        var bounds = graphene_rect_t(origin: origin, size: size)
        return gtk_native_get_renderer(OpaquePointer(window)).flatMap {
            gsk_renderer_render_texture($0, node, &bounds)
        }
    }

    private static func all(in widget: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
        var found = [widget]
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            found += all(in: next)
            child = gtk_widget_get_next_sibling(next)
        }
        return found
    }
}
