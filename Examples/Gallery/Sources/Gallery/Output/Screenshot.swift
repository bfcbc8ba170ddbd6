import KingfisherGTK

/// Renders the content of a window with the renderer of that window.
@MainActor enum Screenshot {
    /// An image of `content` on the background of its window, which must be on screen, with the device pixels
    /// of its display.
    static func of(_ content: Widget) throws -> Image {
        guard let parent = gtk_widget_get_parent(content) else {
            throw Failure("a screenshot needs a window")
        }
        let (width, height) = (gtk_widget_get_width(content), gtk_widget_get_height(content))
        let scale = Float(content.scale)
        layOut(content)
        let snapshot = gtk_snapshot_new()!
        gtk_snapshot_scale(snapshot, scale, scale)
        var frame = graphene_rect_t(
            origin: graphene_point_t(x: 0, y: 0),
            size: graphene_size_t(width: Float(width), height: Float(height)))
        // Only the colour: the window's own background includes a border if there is no compositor.
        var color = GdkRGBA()
        gtk_style_context_lookup_color(gtk_widget_get_style_context(content), "window_bg_color", &color)
        gtk_snapshot_append_color(snapshot, &color, &frame)
        gtk_widget_snapshot_child(parent, content, snapshot)
        guard let node = gtk_snapshot_free_to_node(snapshot) else {
            throw Failure("the window is empty")
        }
        defer { gsk_render_node_unref(node) }
        frame.size = graphene_size_t(width: frame.size.width * scale, height: frame.size.height * scale)
        return try of(node, in: frame, by: content)
    }

    /// Renders `node` within `frame`, with the renderer of the window of `widget`.
    static func of(_ node: OpaquePointer, in frame: graphene_rect_t, by widget: Widget) throws -> Image {
        var frame = frame
        // Always with a frame: GL renderers abort if the node is empty and no frame is given.
        guard let native = gtk_widget_get_native(widget), let renderer = gtk_native_get_renderer(native),
            let texture = gsk_renderer_render_texture(renderer, node, &frame)
        else { throw Failure("the renderer of the window returned no image") }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        return Image(pixels: try pixels(of: texture))
    }

    /// Updates the layout before the next frame: GTK draws no widget whose layout is pending.
    private static func layOut(_ content: Widget) {
        var (place, least, natural) = (GtkAllocation(), Int32(), Int32())
        gtk_widget_get_allocation(content, &place)
        gtk_widget_measure(content, GTK_ORIENTATION_HORIZONTAL, -1, &least, &natural, nil, nil)
        gtk_widget_measure(content, GTK_ORIENTATION_VERTICAL, place.width, &least, &natural, nil, nil)
        gtk_widget_size_allocate(content, &place, -1)
    }

    private static func pixels(of texture: OpaquePointer) throws -> PixelBuffer {
        let (width, height) = (Int(gdk_texture_get_width(texture)), Int(gdk_texture_get_height(texture)))
        return try PixelBuffer(width: width, height: height, format: .rgba8Opaque) { rows, bytesPerRow in
            gdk_texture_download(texture, rows.bindMemory(to: UInt8.self).baseAddress, gsize(bytesPerRow))
            for y in 0..<height {
                for offset in stride(from: y * bytesPerRow, to: y * bytesPerRow + width * 4, by: 4) {
                    // GTK returns one 32-bit number per pixel, 0xAARRGGBB.
                    let pixel = rows.load(fromByteOffset: offset, as: UInt32.self)
                    let rgba = pixel << 8 | 0xff
                    rows.storeBytes(of: rgba.bigEndian, toByteOffset: offset, as: UInt32.self)
                }
            }
        }
    }
}
