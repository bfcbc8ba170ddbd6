import KingfisherGTK

/// A widget class of the program: its widgets fill their area with tiles of a texture.
private enum TilesClass {
    static let type: GType = {
        var parent = GTypeQuery()
        g_type_query(gtk_widget_get_type(), &parent)
        var info = GTypeInfo()
        (info.class_size, info.instance_size) = (guint16(parent.class_size), guint16(parent.instance_size))
        info.class_init = { widgetClass, _ in
            widgetClass?.assumingMemoryBound(to: GtkWidgetClass.self).pointee.snapshot = draw
        }
        return g_type_register_static(parent.type, "ExampleTiles", &info, GTypeFlags(rawValue: 0))
    }()

    private static let draw: @convention(c) (UnsafeMutablePointer<GtkWidget>?, OpaquePointer?) -> Void = {
        widget, snapshot in
        let object = UnsafeMutableRawPointer(widget)?.assumingMemoryBound(to: GObject.self)
        guard let data = g_object_get_data(object, "texture") else { return }
        let texture = OpaquePointer(data)
        var (area, tile) = (graphene_rect_t(), graphene_rect_t())
        area.size.width = Float(gtk_widget_get_width(widget))
        area.size.height = Float(gtk_widget_get_height(widget))
        tile.size.width = Float(gdk_texture_get_width(texture))
        tile.size.height = Float(gdk_texture_get_height(texture))
        gtk_snapshot_push_repeat(snapshot, &area, &tile)
        gtk_snapshot_append_texture(snapshot, texture, &tile)
        gtk_snapshot_pop(snapshot)
    }
}

@MainActor func tiles(of image: Image) -> View {
    let object = g_object_new_with_properties(TilesClass.type, 0, nil, nil)!
    if let texture = image.kf.gdkTexture() {  // The widget takes the reference.
        g_object_set_data_full(object, "texture", UnsafeMutableRawPointer(texture), g_object_unref)
    }
    return WidgetView(wrapping: UnsafeMutableRawPointer(object).assumingMemoryBound(to: GtkWidget.self))
}
