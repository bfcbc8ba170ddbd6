import CGtk
import Synchronization

/// The renderer of this process's windows, which determines the cheapest pixel format: a GPU gets each
/// texture once, in its own format; with cairo, the CPU converts and paints pixels in each frame in which
/// they change.
enum RendererKind: UInt8, AtomicRepresentable {
    case gpu
    case cairo

    private static let latest = Atomic(RendererKind.gpu)

    /// The renderer of the window that was shown last, initially `gpu`. Safe from any thread.
    static var current: RendererKind { latest.load(ordering: .relaxed) }

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
