import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import Testing

extension GTKTests {
    /// The pixels that GTK receives: shared or converted, and on which thread.
    @Suite(.serialized) @MainActor struct Textures {
        @Test("Opaque and premultiplied pixels are not copied", arguments: [RendererKind.gpu, .cairo])
        func directPixels(_ renderer: RendererKind) throws {
            for format in [PixelFormat.rgba8Opaque, .rgba8Premultiplied] {
                let pixels = try PixelBuffer.checkered([[9, 8, 7, 255]], width: 4, height: 4, format: format)
                let drawable = try #require(TextureFormat.drawable(pixels, for: renderer))
                #expect(drawable.pixels === pixels)
                let isStraight = renderer == .cairo && format.isOpaque
                #expect(
                    drawable.format
                        == (isStraight ? GDK_MEMORY_R8G8B8A8 : GDK_MEMORY_R8G8B8A8_PREMULTIPLIED))
            }
        }

        @Test(
            "Straight pixels are copied only for the GPU and only if transparent",
            arguments: [(UInt8(255), true, true), (254, false, true)])
        func straightPixels(
            _ alpha: UInt8, _ staysOnGPU: Bool, _ staysOnCairo: Bool
        ) throws {
            let pixels = try PixelBuffer.checkered(
                [[9, 8, 7, 255], [9, 8, 7, 255], [9, 8, 7, alpha]], width: 5, height: 5,
                format: .rgba8Straight)
            let onGPU = try #require(TextureFormat.drawable(pixels, for: .gpu))
            #expect((onGPU.pixels === pixels) == staysOnGPU)
            #expect(onGPU.format == GDK_MEMORY_R8G8B8A8_PREMULTIPLIED)
            let onCairo = try #require(TextureFormat.drawable(pixels, for: .cairo))
            #expect((onCairo.pixels === pixels) == staysOnCairo)
        }

        @Test("Grey and 16-bit pixels are converted to 8-bit colour")
        func convertedPixels() throws {
            for format in [
                PixelFormat.gray8, PixelFormat(layout: .grayAlpha, alpha: .straight),
                PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight),
                PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque),
            ] {
                let pixels = try PixelBuffer(width: 3, height: 2, format: format) { rows, _ in
                    rows.initializeMemory(as: UInt8.self, repeating: 255)
                }
                for renderer in [RendererKind.gpu, .cairo] {
                    let copy = try #require(TextureFormat.drawable(pixels, for: renderer)).pixels
                    #expect(copy.format.layout == .rgba && copy.format.depth == .eight)
                    #expect(copy.samples(x: 2, y: 1) == [255, 255, 255, 255])
                }
            }
        }

        @Test("Many threads share one texture")
        func sharedTexture() async throws {
            let pixels = try grey(64)
            let makers = (0..<32).map { _ in
                Task.detached { TextureCache.shared.texture(for: pixels) }
            }
            var textures: [Texture?] = []
            for maker in makers { textures.append(await maker.value) }
            let first = try #require(textures.first ?? nil)
            #expect(textures.count == 32 && textures.allSatisfy { $0 === first })
        }

        /// Grey, so that it must be converted, and too large for conversion while a frame is drawn.
        private func grey(_ side: Int = 600) throws -> PixelBuffer {
            try .checkered([[200, 0, 0, 255]], width: side, height: side, format: .gray8)
        }

        private func pixel(of view: View) -> String { Drawing(of: view, width: 8, height: 8)[4, 4] }

        @Test("A large grey image is converted in the background")
        func largeGreyImage() async throws {
            let view = ImageView(image: Image(pixels: try grey()))
            #expect(pixel(of: view) == "00000000")
            #expect(await GTK.wait { pixel(of: view) == "ffc8c8c8" })
        }

        @Test("The window redraws when a converted image is ready")
        func redraw() async throws {
            let (window, view) = (TestWindow(), ImageView())
            try #require(await window.present(view))
            view.image = Image(pixels: try grey())
            // A screenshot, since a `Drawing` by the test would itself request the texture.
            #expect(await GTK.wait { Screenshot(of: view)?.color(4, 4) == [200, 200, 200] })
        }

        @Test("A small grey image is drawn synchronously")
        func smallGreyImage() throws {
            #expect(pixel(of: ImageView(image: Image(pixels: try grey(200)))) == "ffc8c8c8")
        }

        @Test("A prepared image is drawn synchronously and is released after use")
        func preparedImage() async throws {
            let view = ImageView()
            weak var pixels: PixelBuffer?
            do {
                let image = Image(pixels: try grey())
                pixels = image.pixels
                let adapter = WidgetAdapter.adapter(of: view)
                await Task.detached { adapter.prepare(image) }.value
                view.image = image
                // The view is not mapped, so the change of the image released the prepared texture.
                #expect(pixel(of: view) == "00000000")
                await Task.detached { adapter.prepare(image) }.value
                #expect(pixel(of: view) == "ffc8c8c8")
                view.image = nil
            }
            #expect(await GTK.wait { pixels == nil })
        }

        @Test("A loaded image is converted before its completion")
        func loadedImage() async throws {
            let rig = try LoadingRig()
            let (window, view) = (TestWindow(), ImageView())
            try #require(await window.present(view))
            let data = try #require(Image(pixels: try grey()).pngData())
            let provider = RawImageDataProvider(data: data, cacheKey: "grey")
            var shown: [String] = []
            view.kf.setImage(with: provider, options: rig.options) { _ in shown.append(pixel(of: view)) }
            #expect(await GTK.wait { !shown.isEmpty })
            #expect(view.image?.pixels?.format == .gray8)
            #expect(shown == ["ffc8c8c8"])
        }

        /// Too large for the atlas in which GTK's GL renderer caches small images.
        private static var single: Image {
            get throws { try .solid([255, 0, 0, 255], width: 300, height: 300) }
        }

        @Test("A drawn texture may be released on another thread")
        func releasedOnAnotherThread() async throws {
            weak var pixels: PixelBuffer?
            do {
                let (window, view) = (TestWindow(), ImageView())
                let image = try Self.single
                pixels = image.pixels
                view.image = image
                try #require(await window.present(view))
                for _ in 0..<20 { await GTK.iterate() }
                let texture = TextureCache.shared.texture(for: try #require(image.pixels))
                let last = Unmanaged.passRetained(try #require(texture))
                view.image = nil
                for _ in 0..<20 { await GTK.iterate() }
                await Task.detached { last.release() }.value
            }
            #expect(await GTK.wait { pixels == nil })
        }

        @Test("A closed window releases the pixels")
        func closedWindow() async throws {
            weak var pixels: PixelBuffer?
            do {
                let (window, view) = (TestWindow(), ImageView())
                view.image = try Self.single
                pixels = view.image?.pixels
                try #require(await window.present(view))
                for _ in 0..<20 { await GTK.iterate() }
                window.close()
            }
            #expect(await GTK.wait { pixels == nil })
        }
    }
}
