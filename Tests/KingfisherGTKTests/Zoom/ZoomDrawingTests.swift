import CGtk
import Foundation
import Kingfisher
import KingfisherImage
import TestHelpers
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The pixels of a zoomable image, from the window's renderer.
    @Suite(.serialized) @MainActor struct ZoomPixels {
        /// The number of pixels that differ from those of the whole image at `zoom` 1.
        private func differences(_ shot: Screenshot, _ rig: ZoomRig) throws -> Int {
            let origin = try rig.viewport.imageOrigin
            let (left, top) = (-Int(origin.x.rounded()), -Int(origin.y.rounded()))
            return shot.differences { SyntheticTiles.noise(x: $0 + left, y: $1 + top) }
        }

        @Test(
            "At 1:1 every pixel is that of the whole image",
            arguments: [
                CGPoint(x: 0, y: 0), CGPoint(x: 333, y: 170), CGPoint(x: 511.5, y: 511.3),
                CGPoint(x: 900, y: 700),
            ])
        func actualSize(offset: CGPoint) async throws {
            let rig = try await ZoomRig(SyntheticTiles(width: 1600, height: 1300))
            rig.view.zoomToActualSize()
            rig.view.canvas.change { $0.scroll(to: offset) }
            #expect(try differences(await rig.screenshot(), rig) == 0)
            gtk_widget_set_direction(rig.view.canvas.widget, GTK_TEXT_DIR_RTL)
            #expect(try differences(await rig.screenshot(), rig) == 0)
        }

        @Test("An image smaller than the view is centred at 1:1 on the background")
        func smallImage() async throws {
            let rig = try await ZoomRig(
                SyntheticTiles(width: 301, height: 201) { _, _ in [250, 10, 10, 255] })
            let shot = try await rig.screenshot()
            #expect(shot.box(of: "fffa0a0a") == CGRect(x: 200, y: 200, width: 301, height: 201))
            #expect(shot[0, 0] == "ff1e1e1e")
        }

        @Test(
            "Tiles have no seams", arguments: [0.61, 0.77, 1.3, 2.5])
        func seams(zoom: Double) async throws {
            let rig = try await ZoomRig(
                SyntheticTiles(width: 3000, height: 2000) { _, level in
                    level == 0 ? [200, 100, 50, 255] : [0, 0, 255, 255]
                })
            rig.view.setZoom(zoom)
            for x in [0, 400.3] {
                rig.view.canvas.change { $0.scroll(to: CGPoint(x: x, y: 300.5)) }
                let shot = try await rig.screenshot()
                #expect(shot.differences { _, _ in [200, 100, 50, 255] } == 0, "\(zoom) \(x)")
            }
        }

        @Test("At a fractional scale all pixels at 1:1 are exact", arguments: [1.25, 1.5])
        func fractionalScale(scale: Double) async throws {
            let rig = try await ZoomRig(SyntheticTiles(width: 1600, height: 1300))
            rig.view.canvas.displayDidChange(
                ViewDisplay(size: rig.view.bounds.size, scaleFactor: scale, isVisible: true))
            #expect(try rig.viewport.viewSize == CGSize(width: 700 * scale, height: 600 * scale))
            rig.view.zoomToActualSize()
            rig.view.canvas.change { $0.scroll(to: CGPoint(x: 300, y: 250)) }
            #expect(
                await GTK.wait {
                    guard let loader = rig.view.canvas.loader, let viewport = rig.view.canvas.viewport else {
                        return false
                    }
                    loader.show(viewport)
                    return loader.visible.tiles(nearestTo: .zero).allSatisfy { loader.store[$0] != nil }
                })
            let grid = try rig.viewport.visibleTiles(ofLevel: 0)
            var drawing = ZoomDrawing(
                viewport: try rig.viewport, loader: try #require(rig.view.canvas.loader), scale: scale,
                phase: .zero, uploaded: Set(grid.tiles(nearestTo: .zero)))
            let snapshot = gtk_snapshot_new()!
            drawing.draw(on: snapshot)
            let pixels = try rasterize(
                #require(gtk_snapshot_free_to_node(snapshot)), width: Int(700 * scale),
                height: Int(600 * scale), scale: scale)
            let differences = pixels.enumerated().reduce(0) { count, row in
                count
                    + row.element.enumerated().count { x, pixel in
                        pixel != SyntheticTiles.noise(x: x + 300, y: row.offset + 250).opaquePixel
                    }
            }
            #expect(differences == 0)
        }

        /// Draws a node with cairo at a fractional scale, and releases it.
        private func rasterize(
            _ node: OpaquePointer, width: Int, height: Int, scale: Double
        ) throws -> [[UInt32]] {
            let surface = try #require(
                cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height)))
            defer { cairo_surface_destroy(surface) }
            let context = cairo_create(surface)
            cairo_scale(context, scale, scale)
            gsk_render_node_draw(node, context)
            gsk_render_node_unref(node)
            cairo_destroy(context)
            cairo_surface_flush(surface)
            let stride = Int(cairo_image_surface_get_stride(surface)) / 4
            let data = UnsafeRawPointer(cairo_image_surface_get_data(surface)!)
                .assumingMemoryBound(to: UInt32.self)
            return (0..<height).map { y in (0..<width).map { data[y * stride + $0] } }
        }

        @Test("A missing tile is shown from the overview, and stays so after an error")
        func missingTiles() async throws {
            let source = SyntheticTiles(width: 3000, height: 2000) { _, level in
                level == 0 ? [200, 100, 50, 255] : [0, 0, 255, 255]
            }
            let rig = try await ZoomRig(source)
            source.isHolding = true
            rig.view.zoomToActualSize()
            #expect(await GTK.wait { source.started.count == 4 })
            #expect(try await Screenshot.take(of: rig.view).box { $0 != "ff0000ff" } == nil)
            source.isFailing = true
            source.isHolding = false
            #expect(await GTK.wait { rig.errors.count == 1 })
            #expect(try await Screenshot.take(of: rig.view).box { $0 != "ff0000ff" } == nil)
            #expect(await GTK.wait { source.started.count > 12 })
            source.isFailing = false
            // Tiles that were not asked for yet are decoded.
            rig.view.canvas.change { $0.scroll(to: .zero) }
            #expect(await GTK.wait { Screenshot(of: rig.view)?.color(5, 5) == [200, 100, 50] })
            #expect(rig.errors.count == 1)
        }

        @Test("Transparent pixels are drawn once, with and without tiles")
        func transparency() async throws {
            let source = SyntheticTiles(width: 6000, height: 4000) { _, _ in [200, 200, 200, 128] }
            let rig = try await ZoomRig(source)
            rig.view.zoomToActualSize()
            var shots = [try await rig.screenshot()]
            source.isHolding = true
            rig.view.canvas.change { $0.scroll(to: CGPoint(x: $0.offset.x + 900, y: $0.offset.y + 700)) }
            shots.append(try await Screenshot.take(of: rig.view))
            rig.view.setZoom(0.7)
            shots.append(try await Screenshot.take(of: rig.view))
            let pixel = shots[0][300, 300]
            #expect(pixel != "ff1e1e1e" && pixel != "ffc8c8c8")
            for shot in shots { #expect(shot.box { $0 != pixel } == nil) }
        }

        @Test("Pixels are sharp at a zoom of 4, and smaller levels are drawn without the overview")
        func sharpness() async throws {
            let rig = try await ZoomRig(
                SyntheticTiles(width: 1600, height: 1300) { index, _ in
                    index % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
                })
            rig.view.setZoom(4)
            rig.view.canvas.change { $0.scroll(to: .zero) }
            let shot = try await rig.screenshot()
            guard ScaledTexture.append != nil else { return }
            let row = (0..<16).map { shot.color($0, 1)[0] }
            #expect(row == (0..<16).map { $0 / 4 % 2 == 0 ? 255 : 0 })
        }
    }
}
