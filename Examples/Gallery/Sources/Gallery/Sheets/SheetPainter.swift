import CAdwaita
import KingfisherGTK

@MainActor struct SheetPainter {
    private static let margin: Float = 36
    private static let gap: Float = 20
    private static let captionHeight: Float = 34
    private static let headHeight: Float = 62
    private static let ink = GdkRGBA(red: 0.12, green: 0.12, blue: 0.14, alpha: 1)
    private static let paper = GdkRGBA(red: 0.965, green: 0.965, blue: 0.97, alpha: 1)

    /// Any widget on screen; provides the renderer and the fonts.
    let widget: Widget

    func paint(_ sheet: Sheet) throws -> Image {
        let cells = sheet.cells
        let (width, height) = (Float(sheet.size.width), Float(sheet.size.height))
        let stride = (x: width + Self.gap, y: height + Self.captionHeight + Self.gap)
        let rows = (cells.count + sheet.columns - 1) / sheet.columns
        var frame = rectangle(
            0, 0, Float(sheet.columns) * stride.x - Self.gap + 2 * Self.margin,
            Self.headHeight + Float(rows) * stride.y - Self.gap + 2 * Self.margin)

        let snapshot = gtk_snapshot_new()!
        var paper = Self.paper
        gtk_snapshot_append_color(snapshot, &paper, &frame)
        let across = frame.size.width - 2 * Self.margin
        write(sheet.title, font: "Sans Bold 17", at: (Self.margin, Self.margin - 10), width: across, snapshot)
        write(
            sheet.subtitle, font: "Monospace 11", at: (Self.margin, Self.margin + 24), width: across,
            snapshot)
        for (index, cell) in cells.enumerated() {
            let x = Self.margin + Float(index % sheet.columns) * stride.x
            let y = Self.margin + Self.headHeight + Float(index / sheet.columns) * stride.y
            // Whole pixels, so that the images are not resampled.
            let left = (x + (width - Float(cell.pixels.width)) / 2).rounded(.down)
            let top = (y + (height - Float(cell.pixels.height)) / 2).rounded(.down)
            try draw(Self.squares(of: cell.pixels.size), at: (left, top), snapshot)
            try draw(cell.pixels, at: (left, top), snapshot)
            write(
                cell.caption, font: "Monospace 9", at: (x, y + height + 6), width: width, isCentered: true,
                snapshot)
        }
        guard let node = gtk_snapshot_free_to_node(snapshot) else {
            throw Failure("the contact sheet is empty")
        }
        defer { gsk_render_node_unref(node) }
        return try Screenshot.of(node, in: frame, by: widget)
    }

    private func draw(
        _ pixels: PixelBuffer, at origin: (x: Float, y: Float), _ snapshot: OpaquePointer
    ) throws {
        let texture = pixels.withUnsafeBytes { bytes in
            let copy = g_bytes_new(bytes.baseAddress, gsize(bytes.count))
            defer { g_bytes_unref(copy) }
            return gdk_memory_texture_new(
                Int32(pixels.width), Int32(pixels.height), GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, copy,
                gsize(pixels.bytesPerRow))
        }
        guard let texture else { throw Failure("cannot create a texture of \(pixels.size)") }
        var place = rectangle(origin.x, origin.y, Float(pixels.width), Float(pixels.height))
        gtk_snapshot_append_texture(snapshot, texture, &place)
        g_object_unref(UnsafeMutableRawPointer(texture))
    }

    private func write(
        _ text: String, font: String, at origin: (x: Float, y: Float), width: Float,
        isCentered: Bool = false, _ snapshot: OpaquePointer
    ) {
        let layout = gtk_widget_create_pango_layout(widget, text)!
        let description = pango_font_description_from_string(font)
        pango_layout_set_font_description(layout, description)
        pango_font_description_free(description)
        pango_layout_set_width(layout, Int32(width) * PANGO_SCALE)
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        if isCentered { pango_layout_set_alignment(layout, PANGO_ALIGN_CENTER) }
        var (point, ink) = (graphene_point_t(x: origin.x, y: origin.y), Self.ink)
        gtk_snapshot_save(snapshot)
        gtk_snapshot_translate(snapshot, &point)
        gtk_snapshot_append_layout(snapshot, layout, &ink)
        gtk_snapshot_restore(snapshot)
        g_object_unref(UnsafeMutableRawPointer(layout))
    }

    private func rectangle(_ x: Float, _ y: Float, _ width: Float, _ height: Float) -> graphene_rect_t {
        graphene_rect_t(
            origin: graphene_point_t(x: x, y: y), size: graphene_size_t(width: width, height: height))
    }

    /// White and grey squares, which show transparency.
    private static func squares(of size: PixelSize) throws -> PixelBuffer {
        try PixelBuffer(width: size.width, height: size.height, format: .rgba8Premultiplied) {
            rows, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let level: UInt32 = (x / 8 + y / 8) % 2 == 0 ? 0xff : 0xd6
                    rows.storeBytes(
                        of: UInt32(bigEndian: level << 24 | level << 16 | level << 8 | 0xff),
                        toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
                }
            }
        }
    }
}
