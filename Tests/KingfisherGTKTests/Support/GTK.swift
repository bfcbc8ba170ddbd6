import CGLibMainHook
import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import Testing

/// The suites of this target share one display, one main loop and one main thread, so they run in turn.
@Suite(.serialized, .enabled("needs a display: run under xvfb-run") { await GTK.isReady }) @MainActor
struct GTKTests {}

/// What every test here stands on.
@MainActor enum GTK {
    /// Whether GTK found a display; initialises it on first use.
    static let isReady: Bool = {
        setenv("GTK_A11Y", "none", 0)
        // G_DEBUG=fatal-criticals ends a process by a breakpoint, after which Swift's backtracer would have
        // it go on.
        signal(SIGTRAP, SIG_DFL)
        return gtk_init_check() != 0
    }()

    /// Whether windows are drawn by OpenGL, which knows depth and is the default; else by cairo.
    nonisolated static let drawsDepth = ProcessInfo.processInfo.environment["GSK_RENDERER"] != "cairo"

    /// Waits, with the main loop turning, until `condition` holds; false after `seconds`.
    static func wait(upTo seconds: Double = 5, until condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            await turn()
        }
        return true
    }

    /// The user's setting for motion on the whole desktop.
    static func setAnimations(enabled: Bool) {
        var value = GValue()
        g_value_init(&value, g_type_from_name("gboolean"))
        g_value_set_boolean(&value, enabled ? 1 : 0)
        let settings = UnsafeMutableRawPointer(gtk_settings_get_default()!)
        g_object_set_property(settings.assumingMemoryBound(to: GObject.self), "gtk-enable-animations", &value)
    }

    /// Lets the main loop do what is due, for a frame's time at most.
    static func turn() async {
        try? await Task.sleep(for: .milliseconds(2))
    }
}

/// A window that is closed when it goes out of use.
@MainActor final class TestWindow {
    private var window: UnsafeMutablePointer<GtkWindow>?

    init(width: Int32 = 80, height: Int32 = 80) {
        let window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_default_size(window, width, height)
        gtk_window_set_decorated(window, 0)
        self.window = window
    }

    isolated deinit { close() }

    func show(_ view: View?) {
        guard let window else { return }
        gtk_window_set_child(window, view?.widget)
    }

    /// Puts the window on screen and waits until `view` is there.
    func present(_ view: View) async -> Bool {
        show(view)
        if let window { gtk_window_present(window) }
        return await GTK.wait {
            gtk_widget_get_mapped(view.widget) != 0 && gtk_widget_get_width(view.widget) > 1
        }
    }

    /// What draws the window, a GskRenderer; nil before it is on screen.
    var renderer: OpaquePointer? {
        window.flatMap { gtk_native_get_renderer(OpaquePointer($0)) }
    }

    /// The window itself; nil once it is closed.
    var widget: UnsafeMutablePointer<GtkWidget>? {
        window.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWidget.self) }
    }

    /// How many frames the window has drawn or looked at since it was made.
    var frameCount: Int {
        gtk_widget_get_frame_clock(widget).map { Int(gdk_frame_clock_get_frame_counter($0)) } ?? 0
    }

    func hide() {
        if let widget { gtk_widget_set_visible(widget, 0) }
    }

    func close() {
        if let window { gtk_window_destroy(window) }
        window = nil
    }
}

extension Image {
    /// An image of one colour; `rgba` not premultiplied.
    static func solid(
        _ rgba: SIMD4<UInt8>, width: Int = 8, height: Int = 8, scale: CGFloat = 1,
        format: PixelFormat = .rgba8Opaque
    ) throws -> Image {
        try Image(pixels: .checkered([rgba], width: width, height: height, format: format), scale: scale)
    }

    static var red: Image { get throws { try solid([255, 0, 0, 255]) } }
    static var blue: Image { get throws { try solid([0, 0, 255, 255]) } }
}

extension PixelBuffer {
    /// Pixels that repeat `colors` in reading order, 8 bits each.
    static func checkered(
        _ colors: [SIMD4<UInt8>], width: Int, height: Int, format: PixelFormat = .rgba8Opaque
    ) throws -> PixelBuffer {
        try PixelBuffer(width: width, height: height, format: format) { rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let color = colors[(y * width + x) % colors.count]
                    for channel in 0..<format.layout.channels {
                        let source = format.layout == .grayAlpha && channel == 1 ? 3 : channel
                        rows[y * bytesPerRow + x * format.layout.channels + channel] = color[source]
                    }
                }
            }
        }
    }
}
