import CGtk
import Kingfisher
@testable import KingfisherGTK
import Testing

extension GTKTests {
    /// The exact pixels that a view draws, without a window.
    @Suite @MainActor struct DrawingImages {
        @Test("An empty view draws nothing")
        func emptyView() {
            #expect(Drawing(of: ImageView(), width: 4, height: 4)[1, 1] == "00000000")
        }

        @Test(
            "Each pixel format is drawn with the expected colour",
            arguments: [
                (PixelFormat.rgba8Opaque, "ffff8000"), (.rgba8Straight, "80804000"),
                (.rgba8Premultiplied, "80804000"), (PixelFormat(layout: .gray, alpha: .opaque), "ffffffff"),
                (PixelFormat(layout: .grayAlpha, alpha: .straight), "80808080"),
            ])
        func formats(_ format: PixelFormat, _ expected: String) throws {
            let color: SIMD4<UInt8> =
                switch format.alpha {
                case .opaque: [255, 128, 0, 255]
                case .straight: [255, 128, 0, 128]
                case .premultiplied: [128, 64, 0, 128]
                }
            let view = ImageView(image: try .solid(color, format: format))
            #expect(Drawing(of: view, width: 8, height: 8)[3, 3] == expected)
        }

        @Test("16-bit grey is drawn with eight bits")
        func sixteenBitGrey() throws {
            let format = PixelFormat(layout: .grayAlpha, depth: .sixteen, alpha: .straight)
            let pixels = try PixelBuffer(width: 4, height: 4, format: format) { rows, bytesPerRow in
                for y in 0..<4 {
                    let row = UnsafeMutableRawBufferPointer(rebasing: rows[(y * bytesPerRow)...])
                        .bindMemory(to: UInt16.self)
                    for x in 0..<4 { (row[x * 2], row[x * 2 + 1]) = (0x4040, 0xffff) }
                }
            }
            let view = ImageView(image: Image(pixels: pixels))
            #expect(Drawing(of: view, width: 4, height: 4)[2, 2] == "ff404040")
        }

        @Test("Content modes place the image")
        func contentModes() throws {
            // A 2:1 image in a square view.
            let view = ImageView(image: try .solid([255, 0, 0, 255], width: 8, height: 4))
            view.contentMode = .scaleAspectFit
            var drawing = Drawing(of: view, width: 16, height: 16)
            #expect(drawing[8, 2] == "00000000")
            #expect(drawing[1, 8] == "ffff0000")
            view.contentMode = .scaleAspectFill
            drawing = Drawing(of: view, width: 16, height: 16)
            #expect(drawing[1, 1] == "ffff0000")
            view.contentMode = .bottomRight
            drawing = Drawing(of: view, width: 16, height: 16)
            #expect(drawing[7, 12] == "00000000" && drawing[8, 11] == "00000000")
            #expect(drawing[8, 12] == "ffff0000" && drawing[15, 15] == "ffff0000")
        }

        @Test("An image of the right size is drawn on whole pixels if the free space is odd")
        func wholePixels() throws {
            let pixels = try PixelBuffer.checkered(
                [[255, 0, 0, 255], [0, 0, 255, 255]], width: 4, height: 4)
            let view = ImageView(image: Image(pixels: pixels))
            view.contentMode = .center
            let drawing = Drawing(of: view, width: 9, height: 9)
            #expect(drawing.row(4) == "...RBRB..")
            #expect(drawing.column(3) == "...RRRR..")
        }

        @Test("An image larger than the view is clipped")
        func clipping() throws {
            let view = ImageView(image: try .solid([255, 0, 0, 255], width: 40, height: 40))
            view.contentMode = .center
            let adapter = WidgetAdapter.adapter(of: view) as? ImageViewAdapter
            let snapshot = gtk_snapshot_new()!
            adapter?.drawContent(on: snapshot, size: CGSize(width: 10, height: 20))
            let node = try #require(gtk_snapshot_free_to_node(snapshot))
            var bounds = graphene_rect_t()
            gsk_render_node_get_bounds(node, &bounds)
            gsk_render_node_unref(node)
            #expect(bounds.origin.x == 0 && bounds.origin.y == 0)
            #expect(bounds.size.width == 10 && bounds.size.height == 20)
        }

        @Test("An image of scale 2 has half as many points as pixels")
        func scale() throws {
            let view = ImageView(image: try .solid([0, 255, 0, 255], width: 8, height: 8, scale: 2))
            view.contentMode = .topLeft
            let drawing = Drawing(of: view, width: 8, height: 8)
            #expect(drawing[3, 3] == "ff00ff00" && drawing[4, 4] == "00000000")
        }

        /// Quadrants ab / cd as stored, and the order in which EXIF orients them.
        @Test(
            "Each EXIF orientation is drawn upright",
            arguments: zip(1...8, ["abcd", "badc", "dcba", "cdab", "acbd", "cadb", "dbca", "bdac"]))
        func orientations(_ exif: Int, _ expected: String) throws {
            let colors: [Character: SIMD4<UInt8>] = [
                "a": [255, 0, 0, 255], "b": [0, 255, 0, 255], "c": [0, 0, 255, 255], "d": [255, 255, 0, 255],
            ]
            let hex: [Character: String] = [
                "a": "ffff0000", "b": "ff00ff00", "c": "ff0000ff", "d": "ffffff00",
            ]
            let quadrants = try PixelBuffer(width: 16, height: 16, format: .rgba8Opaque) {
                rows, bytesPerRow in
                for y in 0..<16 {
                    for x in 0..<16 {
                        let name: Character = y < 8 ? (x < 8 ? "a" : "b") : (x < 8 ? "c" : "d")
                        for channel in 0..<4 {
                            rows[y * bytesPerRow + x * 4 + channel] = colors[name]![channel]
                        }
                    }
                }
            }
            let orientation = try #require(Image.Orientation(exif: exif))
            let view = ImageView(image: Image(pixels: quadrants, orientation: orientation))
            let drawing = Drawing(of: view, width: 16, height: 16)
            let found = [drawing[3, 3], drawing[12, 3], drawing[3, 12], drawing[12, 12]]
            #expect(found == expected.map { hex[$0]! })
        }

        @Test("A pixel buffer has one texture, another buffer has another")
        func sharedTexture() throws {
            let pixels = try #require(try Image.red.pixels)
            let first = try #require(TextureCache.shared.texture(for: pixels))
            #expect(TextureCache.shared.texture(for: pixels) === first)
            #expect(try TextureCache.shared.texture(for: #require(Image.red.pixels)) !== first)
        }

        @Test("Pixels are released with their last texture")
        func releasedPixels() throws {
            weak var pixels: PixelBuffer?
            try autoreleased {
                let buffer = try #require(try Image.red.pixels)
                pixels = buffer
                _ = TextureCache.shared.texture(for: buffer)
            }
            #expect(pixels == nil)
        }

        private func autoreleased(_ body: () throws -> Void) rethrows { try body() }
    }
}
