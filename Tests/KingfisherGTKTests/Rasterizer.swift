import CGtk
import Kingfisher
@testable import KingfisherGTK

/// What a view draws, as pixels: its snapshot, painted by cairo without a screen in between.
@MainActor struct Drawing {
    let width: Int
    /// 0xAARRGGBB, premultiplied.
    private let pixels: [UInt32]

    init(of view: View, width: Int, height: Int) {
        self.width = width
        let adapter = WidgetAdapter.adapter(of: view) as? ContainerAdapter
        let snapshot = gtk_snapshot_new()!
        adapter?.draw(on: snapshot, size: CGSize(width: width, height: height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else {
            pixels = Array(repeating: 0, count: width * height)
            return
        }
        let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))!
        let context = cairo_create(surface)!
        gsk_render_node_draw(node, context)
        cairo_surface_flush(surface)
        let stride = Int(cairo_image_surface_get_stride(surface)) / 4
        let data = UnsafeRawPointer(cairo_image_surface_get_data(surface)!).assumingMemoryBound(
            to: UInt32.self)
        pixels = (0..<height).flatMap { y in (0..<width).map { x in data[y * stride + x] } }
        cairo_destroy(context)
        cairo_surface_destroy(surface)
        gsk_render_node_unref(node)
    }

    /// The pixel at (`x`, `y`) as eight hexadecimal digits, alpha first, premultiplied.
    subscript(x: Int, y: Int) -> String {
        let digits = String(pixels[y * width + x], radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
