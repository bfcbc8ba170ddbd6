import CGtk
import Kingfisher
@testable import KingfisherGTK

/// The pixels that a view draws at its current time.
@MainActor struct Drawing: Equatable {
    let width: Int
    let height: Int
    /// 0xAARRGGBB, premultiplied.
    private let pixels: [UInt32]

    /// Draws the view offscreen with cairo, at `width` times `height` points and `scale` pixels per point.
    init(of view: View, width: Int, height: Int, scale: Int = 1) {
        self.width = width * scale
        self.height = height * scale
        guard let node = DrawnNode(of: view, width: width, height: height) else {
            pixels = Array(repeating: 0, count: width * height * scale * scale)
            return
        }
        pixels = Self.pixels(width: self.width, height: self.height) { surface in
            let context = cairo_create(surface)
            cairo_scale(context, Double(scale), Double(scale))
            gsk_render_node_draw(node.pointer, context)
            cairo_destroy(context)
        }
    }

    /// Draws the view in perspective with a GskRenderer, with `margin` points around it.
    init(of view: View, width: Int, height: Int, margin: Int, by renderer: OpaquePointer) {
        self.width = width + 2 * margin
        self.height = height + 2 * margin
        guard let node = DrawnNode(of: view, width: width, height: height, projection: .perspective) else {
            pixels = Array(repeating: 0, count: self.width * self.height)
            return
        }
        var viewport = graphene_rect_t(
            origin: graphene_point_t(x: Float(-margin), y: Float(-margin)),
            size: graphene_size_t(width: Float(self.width), height: Float(self.height)))
        let texture = gsk_renderer_render_texture(renderer, node.pointer, &viewport)
        pixels = Self.pixels(width: self.width, height: self.height) { surface in
            gdk_texture_download(
                texture, cairo_image_surface_get_data(surface),
                gsize(cairo_image_surface_get_stride(surface)))
            cairo_surface_mark_dirty(surface)
        }
        g_object_unref(texture.map { UnsafeMutableRawPointer($0) })
    }

    private static func pixels(width: Int, height: Int, paint: (OpaquePointer) -> Void) -> [UInt32] {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))!
        defer { cairo_surface_destroy(surface) }
        paint(surface)
        cairo_surface_flush(surface)
        let stride = Int(cairo_image_surface_get_stride(surface)) / 4
        let data = UnsafeRawPointer(cairo_image_surface_get_data(surface)!).assumingMemoryBound(
            to: UInt32.self)
        return (0..<height).flatMap { y in (0..<width).map { x in data[y * stride + x] } }
    }

    /// The pixel at (`x`, `y`) as eight hexadecimal digits, alpha first, premultiplied.
    subscript(x: Int, y: Int) -> String {
        let digits = String(pixels[y * width + x], radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The pixel's alpha, red, green and blue, premultiplied.
    func channels(_ x: Int, _ y: Int) -> [Int] {
        [24, 16, 8, 0].map { Int(pixels[y * width + x] >> $0 & 0xff) }
    }

    /// A row of pixels, one letter per pixel; see `letter`.
    func row(_ y: Int) -> String { String((0..<width).map { letter($0, y) }) }

    /// A column of pixels from the top, one letter per pixel; see `letter`.
    func column(_ x: Int) -> String { String((0..<height).map { letter(x, $0) }) }

    /// R, G, B or Y for an opaque primary colour or yellow, `.` for transparent, `~` for other colours.
    private func letter(_ x: Int, _ y: Int) -> Character {
        switch pixels[y * width + x] {
        case 0: "."
        case 0xffff_0000: "R"
        case 0xff00_ff00: "G"
        case 0xff00_00ff: "B"
        case 0xffff_ff00: "Y"
        default: "~"
        }
    }
}

/// The render node of a view at its current time.
@MainActor final class DrawnNode {
    /// A GskRenderNode.
    let pointer: OpaquePointer

    /// Nil if the view draws nothing.
    init?(of view: View, width: Int, height: Int, projection: Projection = .flat) {
        let adapter = WidgetAdapter.adapter(of: view) as? ContainerAdapter
        let snapshot = gtk_snapshot_new()!
        adapter?.draw(on: snapshot, size: CGSize(width: width, height: height), projection: projection)
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        pointer = node
    }

    isolated deinit { gsk_render_node_unref(pointer) }

    /// GTK's serialization of the node.
    var text: String {
        guard let bytes = gsk_render_node_serialize(pointer) else { return "" }
        defer { g_bytes_unref(bytes) }
        var count: gsize = 0
        guard let data = g_bytes_get_data(bytes, &count) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: data, count: Int(count)), as: UTF8.self)
    }
}
