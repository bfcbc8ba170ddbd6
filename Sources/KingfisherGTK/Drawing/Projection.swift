import CGtk

/// How a turn into the depth of the screen comes to paper.
enum Projection {
    /// As the eye has it: what is near is larger.
    case perspective
    /// Seen from straight ahead: what is turned is narrower, nothing is larger.
    case flat

    /// What the window of `widget` can draw; `flat`, which everything can, while it is in none.
    @MainActor init(of widget: UnsafeMutablePointer<GtkWidget>) {
        guard let native = gtk_widget_get_native(widget), let renderer = gtk_native_get_renderer(native)
        else {
            self = .flat
            return
        }
        let type = UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)
        // What is not flat, these two paint solid pink.
        switch String(cString: g_type_name_from_instance(type)) {
        case "GskCairoRenderer", "GskBroadwayRenderer": self = .flat
        default: self = .perspective
        }
    }
}
