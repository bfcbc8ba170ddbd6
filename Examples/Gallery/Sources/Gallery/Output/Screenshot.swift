import KingfisherGTK

/// What a part of a window shows, drawn by the window's own renderer.
@MainActor enum Screenshot {
    /// The picture of `widget`, which is on screen and opaque; one pixel per point.
    static func of(_ widget: Widget) throws -> Image {
        var frame = graphene_rect_t()
        guard let parent = gtk_widget_get_parent(widget),
            let renderer = gtk_native_get_renderer(gtk_widget_get_native(widget)),
            gtk_widget_compute_bounds(widget, parent, &frame) != 0
        else { throw Failure("a screenshot needs a widget on screen") }
        let snapshot = gtk_snapshot_new()!
        gtk_widget_snapshot_child(parent, widget, snapshot)
        guard let node = gtk_snapshot_free_to_node(snapshot) else {
            throw Failure("the window shows nothing")
        }
        defer { gsk_render_node_unref(node) }
        // Always within a frame: without one, GL renderers abort when a node is empty.
        guard let texture = gsk_renderer_render_texture(renderer, node, &frame) else {
            throw Failure("the window's renderer gives no picture")
        }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        return Image(pixels: try pixels(of: texture))
    }

    private static func pixels(of texture: OpaquePointer) throws -> PixelBuffer {
        let (width, height) = (Int(gdk_texture_get_width(texture)), Int(gdk_texture_get_height(texture)))
        return try PixelBuffer(width: width, height: height, format: .rgba8Opaque) { rows, bytesPerRow in
            gdk_texture_download(texture, rows.bindMemory(to: UInt8.self).baseAddress, gsize(bytesPerRow))
            for y in 0..<height {
                for offset in stride(from: y * bytesPerRow, to: y * bytesPerRow + width * 4, by: 4) {
                    // GTK hands out one number a pixel, 0xAARRGGBB.
                    let pixel = rows.load(fromByteOffset: offset, as: UInt32.self)
                    let rgba = pixel << 8 | 0xff
                    rows.storeBytes(of: rgba.bigEndian, toByteOffset: offset, as: UInt32.self)
                }
            }
        }
    }
}
