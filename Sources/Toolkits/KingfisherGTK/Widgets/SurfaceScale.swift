import CGtk
import Foundation

/// The pixels per point of the surface that shows a widget.
///
/// Since GTK 4.12 this is a fraction on displays that have one: `gtk_widget_get_scale_factor` rounds 1.25 up
/// to 2, and an image for 2 has 2.5 times the pixels that are shown.
@MainActor final class SurfaceScale {
    private let surface: OpaquePointer
    private var signal: gulong = 0
    private let didChange: () -> Void

    /// Nil without a surface, and with earlier versions of GTK.
    init?(of widget: UnsafeMutablePointer<GtkWidget>, didChange: @escaping () -> Void) {
        guard let native = gtk_widget_get_native(widget), let surface = gtk_native_get_surface(native),
            kf_gtk_surface_scale(surface) > 0
        else { return nil }
        self.surface = surface
        self.didChange = didChange
        g_object_ref(UnsafeMutableRawPointer(surface))
        signal = g_signal_connect_data(
            UnsafeMutableRawPointer(surface), "notify::scale",
            unsafeBitCast(scaleChanged, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    isolated deinit {
        g_signal_handler_disconnect(UnsafeMutableRawPointer(surface), signal)
        g_object_unref(UnsafeMutableRawPointer(surface))
    }

    var value: CGFloat { kf_gtk_surface_scale(surface) }

    fileprivate func scaleDidChange() { didChange() }
}

private let scaleChanged: @convention(c) (OpaquePointer?, OpaquePointer?, gpointer?) -> Void = { _, _, data in
    nonisolated(unsafe) let data = data  // GTK calls on the main thread.
    MainActor.assumeIsolated {
        Unmanaged<SurfaceScale>.fromOpaque(data!).takeUnretainedValue().scaleDidChange()
    }
}
