import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// `gdkTexture()` and `gdkPaintable()`.
    @Suite(.serialized) @MainActor struct Paintables {
        private let window = TestWindow()

        private func release(_ object: OpaquePointer) { g_object_unref(UnsafeMutableRawPointer(object)) }

        private func references(_ object: OpaquePointer) -> UInt32 {
            UnsafeMutableRawPointer(object).assumingMemoryBound(to: GObject.self).pointee.ref_count
        }

        /// A texture's pixels in reading order: premultiplied, alpha first.
        private func pixels(_ texture: OpaquePointer) -> [String] {
            let (width, height) = (Int(gdk_texture_get_width(texture)), Int(gdk_texture_get_height(texture)))
            var pixels = [UInt32](repeating: 0, count: width * height)
            pixels.withUnsafeMutableBytes {
                gdk_texture_download(texture, $0.baseAddress, gsize(width * 4))
            }
            return pixels.map { String($0, radix: 16) }
        }

        /// A GtkPicture that shows `paintable`, and fills the window.
        private func present(_ paintable: OpaquePointer) async throws -> View {
            let shown = gtk_picture_new_for_paintable(paintable)!
            gtk_picture_set_content_fit(OpaquePointer(shown), GTK_CONTENT_FIT_FILL)
            let view = WidgetView(wrapping: shown)
            try #require(await window.present(view))
            return view
        }

        private func color(of view: View) -> String? { Screenshot(of: view)?[4, 4] }

        private func animation() throws -> Image {
            let colors: [SIMD4<UInt8>] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]]
            return try #require(
                KingfisherWrapper<Image>.animatedImage(
                    source: try ColorFrames(colors.map { try .solid($0, width: 80, height: 80) }, 0.04),
                    options: ImageCreatingOptions()))
        }

        @Test("A texture has the pixels of the image, upright and with eight bits, and belongs to its caller")
        func texture() throws {
            let halves = try PixelBuffer.checkered(
                [[255, 0, 0, 255], [0, 0, 255, 255]], width: 2, height: 1)
            let upright = try #require(Image(pixels: halves, scale: 2).kf.gdkTexture())
            #expect(pixels(upright) == ["ffff0000", "ff0000ff"] && references(upright) == 1)
            release(upright)
            let turned = try #require(Image(pixels: halves, orientation: .right).kf.gdkTexture())
            #expect(gdk_texture_get_width(turned) == 1 && pixels(turned) == ["ffff0000", "ff0000ff"])
            release(turned)
            let format = PixelFormat(layout: .gray, depth: .sixteen, alpha: .opaque)
            let deep = try PixelBuffer(width: 1, height: 1, format: format) { rows, _ in
                rows.initializeMemory(as: UInt8.self, repeating: 128)
            }
            let grey = try #require(Image(pixels: deep).kf.gdkTexture())
            #expect(pixels(grey) == ["ff808080"])
            release(grey)
            let clear = try #require(
                Image.solid([255, 0, 0, 128], width: 1, height: 1, format: .rgba8Straight).kf.gdkTexture())
            #expect(pixels(clear) == ["80800000"])
            release(clear)
        }

        @Test("Threads get the texture that a view shows")
        func sharedTexture() async throws {
            let image = try Image.red
            let view = ImageView(image: image)
            try #require(await window.present(view))
            let shown = try #require(image.pixels.flatMap { TextureCache.shared.textures(of: $0).first })
            let makers = (0..<16).map { _ in
                Task.detached { image.kf.gdkTexture().map { UInt(bitPattern: $0) } ?? 0 }
            }
            var pointers: [UInt] = []
            for maker in makers { pointers.append(await maker.value) }
            let expected = shown.withPaintable { UInt(bitPattern: $0) }
            #expect(pointers == Array(repeating: expected, count: 16))
            for pointer in pointers.compactMap({ OpaquePointer(bitPattern: $0) }) { release(pointer) }
        }

        @Test("A paintable has the size of its image in points, shows it upright, and is released")
        func still() async throws {
            let colors = (0..<80).map { SIMD4<UInt8>($0 < 40 ? [255, 0, 0, 255] : [0, 0, 255, 255]) }
            let halves = try PixelBuffer.checkered(colors, width: 80, height: 80)
            let paintable = Image(pixels: halves, scale: 2, orientation: .down).kf.gdkPaintable()
            #expect(references(paintable) == 1)
            #expect(gdk_paintable_get_intrinsic_width(paintable) == 40)
            let shot = try await Screenshot.take(of: try await present(paintable))
            #expect(shot[10, 40] == "ff0000ff" && shot[70, 40] == "ffff0000")
            window.show(nil)
            #expect(await GTK.wait { references(paintable) == 1 })
            release(paintable)
        }

        @Test("A paintable has the variant for the desktop's appearance")
        func variants() async throws {
            defer { Recipe.setDark(false) }
            let image = try Image.red.withVariants(dark: try .blue)
            let paintable = image.kf.gdkPaintable()
            let view = try await present(paintable)
            #expect(await GTK.wait { color(of: view) == "ffff0000" })
            Recipe.setDark(true)
            #expect(await GTK.wait { color(of: view) == "ff0000ff" })
            release(paintable)
        }

        @Test("An animation plays while the paintable is drawn, pauses when it is not, and continues")
        func animates() async throws {
            let view = AnimatedImageView(image: try animation())
            let paintable = view.kf.gdkPaintable()
            for _ in 0..<40 { await GTK.iterate() }
            #expect(view.currentFrameIndex == 0)
            let shown = try await present(paintable)
            for color in ["ff00ff00", "ff0000ff", "ffff0000"] {
                #expect(await GTK.wait { self.color(of: shown) == color })
            }
            window.hide()
            #expect(await GTK.wait { view.nextFrameTime == nil })
            let index = view.currentFrameIndex
            for _ in 0..<60 { await GTK.iterate() }
            #expect(view.currentFrameIndex == index)
            try #require(await window.present(shown))
            #expect(await GTK.wait { view.currentFrameIndex != index })
            release(paintable)
        }

        @Test("Without animations, a paintable shows the first frame, unless its view asks for motion")
        func reducedMotion() async throws {
            GTK.setAnimations(enabled: false)
            defer { GTK.setAnimations(enabled: true) }
            let view = AnimatedImageView(image: try animation())
            let paintable = view.kf.gdkPaintable()
            let shown = try await present(paintable)
            for _ in 0..<60 { await GTK.iterate() }
            #expect(color(of: shown) == "ffff0000" && view.currentFrameIndex == 0)
            view.motion = .always
            #expect(await GTK.wait { color(of: shown) == "ff00ff00" })
            view.motion = .followsSystem
            #expect(await GTK.wait { color(of: shown) == "ffff0000" && view.currentFrameIndex == 0 })
            GTK.setAnimations(enabled: true)
            #expect(await GTK.wait { color(of: shown) == "ff0000ff" })
            release(paintable)
        }

        @Test("The paintable of a view follows its image, before and after the view has a widget")
        func follows() async throws {
            let view = AnimatedImageView()
            let paintable = view.kf.gdkPaintable()
            #expect(gdk_paintable_get_intrinsic_width(paintable) == 0)
            let again = view.kf.gdkPaintable()
            #expect(again == paintable && references(paintable) == 2)
            release(again)
            let shown = try await present(paintable)
            view.image = try .red
            #expect(gdk_paintable_get_intrinsic_width(paintable) == 8)
            #expect(await GTK.wait { color(of: shown) == "ffff0000" })
            let other = TestWindow()
            try #require(await other.present(view))
            view.image = try .blue
            #expect(await GTK.wait { color(of: shown) == "ff0000ff" && color(of: view) == "ff0000ff" })
            #expect(view.kf.gdkPaintable() == paintable)
            release(paintable)
            view.image = try animation()
            #expect(await GTK.wait { color(of: shown) == "ff00ff00" })
            view.image = nil
            #expect(await GTK.wait { color(of: shown) != "ff00ff00" && color(of: shown) != "ff0000ff" })
            release(paintable)
        }

        @Test("A load fills the paintable of a view without a widget")
        func loads() async throws {
            let rig = try LoadingRig()
            let view = ImageView()
            let paintable = view.kf.gdkPaintable()
            let shown = try await present(paintable)
            view.kf.setImage(with: LoadingRig.url(7), options: rig.options)
            #expect(await GTK.wait { view.image != nil })
            let size = view.image?.size ?? .zero
            #expect(gdk_paintable_get_intrinsic_width(paintable) == Int32(size.width) && size.width > 0)
            withExtendedLifetime(shown) {}
            release(paintable)
        }

        @Test("The paintable retains its view, and the view does not retain the paintable")
        func lifetime() async throws {
            weak var view: ImageView?
            var paintable: OpaquePointer?
            do {
                let made = AnimatedImageView(image: try animation())
                (view, paintable) = (made, made.kf.gdkPaintable())
            }
            #expect(view != nil)
            do {
                let shown = try await present(try #require(paintable))
                #expect(await GTK.wait { view?.currentFrameIndex == 1 })
                withExtendedLifetime(shown) { window.show(nil) }
            }
            paintable.map { release($0) }
            #expect(await GTK.wait { view == nil })
        }

        @Test("A paintable that is released by a callback of its view ends quietly")
        func releasedWhilePlaying() async throws {
            final class Releaser: AnimatedImageViewDelegate {
                var release: (() -> Void)?

                func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {
                    release?()
                    release = nil
                }
            }
            let (view, delegate) = (AnimatedImageView(image: try animation()), Releaser())
            view.delegate = delegate
            let paintable = view.kf.gdkPaintable()
            let shown = try await present(paintable)
            let widget = (shown as? WidgetView)?.content
            delegate.release = {
                gtk_picture_set_paintable(widget.map { OpaquePointer($0) }, nil)
                self.release(paintable)
            }
            #expect(await GTK.wait { delegate.release == nil })
            for _ in 0..<20 { await GTK.iterate() }
            let other = view.kf.gdkPaintable()
            #expect(references(other) == 1)
            release(other)
        }
    }
}
