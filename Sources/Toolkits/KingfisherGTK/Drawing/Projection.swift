import CGtk

/// How a three-dimensional rotation is projected onto the screen: in perspective, where nearer parts are
/// larger, or flat (orthographic), where a rotated view is only narrower.
enum Projection {
    case perspective
    case flat

    /// The projection that the window of `widget` can draw; `flat` if it is in no window.
    @MainActor init(of widget: UnsafeMutablePointer<GtkWidget>) {
        guard let native = gtk_widget_get_native(widget), let renderer = gtk_native_get_renderer(native)
        else {
            self = .flat
            return
        }
        let type = UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)
        // These two renderers paint perspective transforms in solid pink.
        switch String(cString: g_type_name_from_instance(type)) {
        case "GskCairoRenderer", "GskBroadwayRenderer": self = .flat
        default: self = .perspective
        }
    }
}
