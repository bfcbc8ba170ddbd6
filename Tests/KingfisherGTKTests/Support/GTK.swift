import CGLibMainHook
import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

/// All suites of this target. They share a display, a main loop and the main thread, so they run serially.
@Suite(.serialized, .enabled("needs a display: run under xvfb-run") { await GTK.isReady }) @MainActor
struct GTKTests {}

@MainActor enum GTK {
    /// Whether GTK found a display. The first access initialises GTK.
    static let isReady: Bool = {
        setenv("GTK_A11Y", "none", 0)
        // G_DEBUG=fatal-criticals raises SIGTRAP. Swift's backtracer would let the process continue after it.
        signal(SIGTRAP, SIG_DFL)
        return gtk_init_check() != 0
    }()

    /// Whether windows are drawn by OpenGL, the default, which supports perspective, and not by cairo.
    nonisolated static let drawsDepth = ProcessInfo.processInfo.environment["GSK_RENDERER"] != "cairo"

    /// Runs the main loop until `condition` holds. Returns false after `seconds`, or four times as many under
    /// a sanitizer and in `make test-busy`.
    static func wait(upTo seconds: Double = 5, until condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds) * ProcessStatus.slowness
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            await iterate()
        }
        return true
    }

    /// Sets the desktop setting for animations.
    static func setAnimations(enabled: Bool) {
        var value = GValue()
        g_value_init(&value, g_type_from_name("gboolean"))
        g_value_set_boolean(&value, enabled ? 1 : 0)
        let settings = UnsafeMutableRawPointer(gtk_settings_get_default()!)
        g_object_set_property(settings.assumingMemoryBound(to: GObject.self), "gtk-enable-animations", &value)
    }

    /// Lets the main loop handle pending events for about 2 ms.
    static func iterate() async {
        try? await Task.sleep(for: .milliseconds(2))
    }
}

/// A window that is closed when it is released.
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

    /// Shows the window and waits until `view` is mapped.
    func present(_ view: View) async -> Bool {
        show(view)
        if let window { gtk_window_present(window) }
        return await GTK.wait {
            gtk_widget_get_mapped(view.widget) != 0 && gtk_widget_get_width(view.widget) > 1
        }
    }

    /// The window's GskRenderer; nil before the window is on screen.
    var renderer: OpaquePointer? {
        window.flatMap { gtk_native_get_renderer(OpaquePointer($0)) }
    }

    /// Nil after the window was closed.
    var widget: UnsafeMutablePointer<GtkWidget>? {
        window.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWidget.self) }
    }

    /// The number of frames of the window's clock, drawn or not.
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
    /// An image of one colour; `rgba` is not premultiplied.
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
