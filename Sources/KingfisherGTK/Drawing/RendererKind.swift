import CGtk
import Synchronization

/// What draws the windows of this process: the way of pixels to the screen that costs least depends on it.
enum RendererKind: UInt8, AtomicRepresentable {
    /// Textures are uploaded once, in the form they are given.
    case gpu
    /// Pixels are converted and painted by the processor, on each frame in which they change.
    case cairo

    private static let latest = Atomic(RendererKind.gpu)

    /// That of the window that was shown last; until there is one, GTK's usual choice. Safe from any thread.
    static var current: RendererKind { latest.load(ordering: .relaxed) }

    /// Takes note of what draws `widget`, which is in a window that is shown.
    @MainActor static func note(_ widget: UnsafeMutablePointer<GtkWidget>) {
        guard let native = gtk_widget_get_native(widget), let renderer = gtk_native_get_renderer(native)
        else {
            return
        }
        latest.store(RendererKind(of: renderer), ordering: .relaxed)
    }

    private init(of renderer: OpaquePointer) {
        let instance = UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)
        self = g_type_check_instance_is_a(instance, gsk_cairo_renderer_get_type()) != 0 ? .cairo : .gpu
    }
}
