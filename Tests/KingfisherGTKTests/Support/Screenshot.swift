import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import Testing

/// The pixels of a view in a window, or of a whole window, from the window's renderer.
@MainActor struct Screenshot: @MainActor Equatable {
    let width: Int
    let height: Int
    private let pixels: [UInt32]

    /// Captures `view` when no redraw is pending.
    static func take(of view: View) async throws -> Screenshot {
        try await take { Screenshot(of: view) }
    }

    /// Captures `window` with its background when no redraw is pending.
    ///
    /// - Parameter name: the name of the PNG; nil for that of the running test and a number.
    @discardableResult
    static func take(of window: TestWindow, named name: String? = nil) async throws -> Screenshot {
        try await take(named: name) { Screenshot(of: window) }
    }

    private static func take(
        named name: String? = nil, _ attempt: () -> Screenshot?
    ) async throws -> Screenshot {
        var shot: Screenshot?
        _ = await GTK.wait {
            shot = attempt()
            return shot != nil
        }
        let found = try #require(shot)
        found.saveIfRequested(named: name)
        return found
    }

    private static var counts: [String: Int] = [:]

    /// Writes a PNG into the folder `KINGFISHER_SHOTS`, if that is set.
    func saveIfRequested(named fixed: String? = nil) {
        guard let folder = ProcessInfo.processInfo.environment["KINGFISHER_SHOTS"] else { return }
        let name = fixed ?? Self.nextName()
        let bytes = pixels.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        let texture = gdk_memory_texture_new(
            Int32(width), Int32(height), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, gsize(width) * 4)
        gdk_texture_save_to_png(texture, "\(folder)/\(name).png")
        g_object_unref(UnsafeMutableRawPointer(texture))
        g_bytes_unref(bytes)
    }

    private static func nextName() -> String {
        let name = String(Test.current?.name.prefix { $0.isLetter } ?? "shot")
        let count = counts[name, default: 0]
        counts[name] = count + 1
        return "\(name)-\(count)"
    }

    /// Nil if the view is not on screen or has a pending redraw.
    init?(of view: View) {
        self.init(of: view.widget)
    }

    /// Nil if the window is not on screen or has a pending redraw.
    init?(of window: TestWindow) {
        guard let widget = window.widget else { return nil }
        self.init(of: widget)
    }

    private init?(of widget: UnsafeMutablePointer<GtkWidget>) {
        let (width, height) = (gtk_widget_get_width(widget), gtk_widget_get_height(widget))
        guard gtk_widget_get_mapped(widget) != 0, width > 0, height > 0,
            let renderer = gtk_native_get_renderer(gtk_widget_get_native(widget))
        else { return nil }
        let paintable = gtk_widget_paintable_new(widget)
        let snapshot = gtk_snapshot_new()!
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        g_object_unref(UnsafeMutableRawPointer(paintable))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        var bounds = graphene_rect_t(
            origin: graphene_point_t(x: 0, y: 0),
            size: graphene_size_t(width: Float(width), height: Float(height)))
        let texture = gsk_renderer_render_texture(renderer, node, &bounds)!
        gsk_render_node_unref(node)
        var pixels = [UInt32](repeating: 0, count: Int(width * height))
        pixels.withUnsafeMutableBytes {
            gdk_texture_download(texture, $0.baseAddress, gsize(width) * 4)
        }
        (self.width, self.height, self.pixels) = (Int(width), Int(height), pixels)
        g_object_unref(UnsafeMutableRawPointer(texture))
    }

    /// The pixel at (`x`, `y`) as eight hexadecimal digits, alpha first, premultiplied.
    subscript(x: Int, y: Int) -> String { Self.hex(pixels[y * width + x]) }

    /// The pixel's red, green and blue, premultiplied.
    func color(_ x: Int, _ y: Int) -> [Int] {
        [16, 8, 0].map { Int(pixels[y * width + x] >> $0 & 0xff) }
    }

    /// The number of pixels that differ from those of an opaque image.
    func differences(from color: (_ x: Int, _ y: Int) -> SIMD4<UInt8>) -> Int {
        var count = 0
        for y in 0..<height {
            for x in 0..<width where pixels[y * width + x] != color(x, y).opaquePixel { count += 1 }
        }
        return count
    }

    /// The smallest box around all pixels of `color`; nil if there are none.
    func box(of color: String) -> CGRect? {
        box { $0 == color }
    }

    /// The smallest box around all pixels that satisfy `condition`; nil if there are none.
    func box(where condition: (String) -> Bool) -> CGRect? {
        var known: [UInt32: Bool] = [:]
        var (left, top, right, bottom) = (Int.max, Int.max, -1, -1)
        for y in 0..<height {
            for x in 0..<width {
                let pixel = pixels[y * width + x]
                let holds = known[pixel] ?? condition(Self.hex(pixel))
                known[pixel] = holds
                if holds {
                    (left, top, right, bottom) = (min(left, x), min(top, y), max(right, x), max(bottom, y))
                }
            }
        }
        guard right >= 0 else { return nil }
        return CGRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    private static func hex(_ pixel: UInt32) -> String {
        let digits = String(pixel, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

extension SIMD4<UInt8> {
    /// 0xAARRGGBB of red, green and blue.
    var opaquePixel: UInt32 { 0xff00_0000 | UInt32(x) << 16 | UInt32(y) << 8 | UInt32(z) }
}

extension Image {
    /// An arrow head that points to the right, black on transparent.
    static func arrow(side: Int = 24) throws -> Image {
        let pixels = try PixelBuffer(width: side, height: side, format: .rgba8Straight) { rows, bytesPerRow in
            for y in 0..<side {
                for x in 0..<side {
                    let inside = x * 2 <= side * 2 - 2 * abs(2 * y + 1 - side) && x >= side / 8
                    for channel in 0..<4 {
                        rows[y * bytesPerRow + x * 4 + channel] = channel == 3 && inside ? 255 : 0
                    }
                }
            }
        }
        return Image(pixels: pixels)
    }
}
