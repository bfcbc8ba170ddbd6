import CGtk
import Glibc

/// The pointer of the X server. Its functions are not in a header that this package uses.
@MainActor enum Pointer {
    private typealias Handle = OpaquePointer?
    private typealias GetDisplay = @convention(c) (OpaquePointer?) -> Handle
    private typealias GetWindow = @convention(c) (OpaquePointer?) -> UInt
    private typealias Warp =
        @convention(c) (Handle, UInt, UInt, Int32, Int32, UInt32, UInt32, Int32, Int32) -> Int32
    private typealias Flush = @convention(c) (Handle) -> Int32

    /// Moves the pointer to (`x`, `y`) in the window of `widget`. Returns false if this is not an X server.
    static func move(to x: Int32, _ y: Int32, inWindowOf widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        guard let native = gtk_widget_get_native(widget), let surface = gtk_native_get_surface(native),
            let display = function("gdk_x11_display_get_xdisplay", GetDisplay.self),
            let window = function("gdk_x11_surface_get_xid", GetWindow.self),
            let warp = function("XWarpPointer", Warp.self), let flush = function("XFlush", Flush.self),
            let connection = display(gdk_surface_get_display(surface))
        else { return false }
        var (left, top) = (0.0, 0.0)
        gtk_native_get_surface_transform(native, &left, &top)
        _ = warp(
            connection, 0, window(surface), 0, 0, 0, 0, x + Int32(left.rounded()), y + Int32(top.rounded()))
        _ = flush(connection)
        return true
    }

    private static func function<Type>(_ name: String, _: Type.Type) -> Type? {
        dlsym(nil, name).map { unsafeBitCast($0, to: Type.self) }
    }
}
