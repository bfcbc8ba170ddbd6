import CGtk
import Foundation
import Kingfisher
@testable import KingfisherGTK
import Testing

extension GTKTests {
    /// How pixels come to GTK: which as they are, which converted, and on which thread.
    @Suite(.serialized) @MainActor struct Textures {
        @Test(arguments: [RendererKind.gpu, .cairo])
        func opaqueAndPremultipliedPixelsGoAsTheyAre(_ renderer: RendererKind) throws {
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

        @Test(arguments: [(UInt8(255), true, true), (254, false, true)])
        func straightPixelsAreCopiedForAGPUOnlyWhenTransparent(
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

        @Test func greyAndSixteenBitsBecomeEightBitColour() throws {
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

        @Test func manyThreadsShareOneTexture() async throws {
            let pixels = try grey(64)
            let makers = (0..<32).map { _ in
                Task.detached { TextureCache.shared.texture(for: pixels) }
            }
            var textures: [Texture?] = []
            for maker in makers { textures.append(await maker.value) }
            let first = try #require(textures.first ?? nil)
            #expect(textures.count == 32 && textures.allSatisfy { $0 === first })
        }

        /// Grey, so that it has to be converted, and too large to do that while a frame is drawn.
        private func grey(_ side: Int = 600) throws -> PixelBuffer {
            try .checkered([[200, 0, 0, 255]], width: side, height: side, format: .gray8)
        }

        private func pixel(of view: View) -> String { Drawing(of: view, width: 8, height: 8)[4, 4] }

        @Test func largeGreyImageIsConvertedInTheBackground() async throws {
            let view = ImageView(image: Image(pixels: try grey()))
            #expect(pixel(of: view) == "00000000")
            #expect(await GTK.wait { pixel(of: view) == "ffc8c8c8" })
        }

        @Test func windowRedrawsWhenALateImageIsReady() async throws {
            let (window, view) = (TestWindow(), ImageView())
            try #require(await window.present(view))
            view.image = Image(pixels: try grey())
            // What GTK has drawn, not a drawing of the test's own: nobody else asks for one.
            #expect(await GTK.wait { Screenshot(of: view)?.color(4, 4) == [200, 200, 200] })
        }

        @Test func smallGreyImageIsThereAtOnce() throws {
            #expect(pixel(of: ImageView(image: Image(pixels: try grey(200)))) == "ffc8c8c8")
        }

        @Test func preparedImageIsThereAtOnceAndNotKeptForEver() async throws {
            let view = ImageView()
            weak var pixels: PixelBuffer?
            do {
                let image = Image(pixels: try grey())
                pixels = image.pixels
                let adapter = WidgetAdapter.adapter(of: view)
                await Task.detached { adapter.prepare(image) }.value
                view.image = image
                // Not mapped, so the change let go of what was prepared for the screen.
                #expect(pixel(of: view) == "00000000")
                await Task.detached { adapter.prepare(image) }.value
                #expect(pixel(of: view) == "ffc8c8c8")
                view.image = nil
            }
            #expect(await GTK.wait { pixels == nil })
        }

        @Test func loadedImageIsReadyWhenItIsShown() async throws {
            let stand = try Stand()
            let (window, view) = (TestWindow(), ImageView())
            try #require(await window.present(view))
            let data = try #require(Image(pixels: try grey()).pngData())
            let provider = RawImageDataProvider(data: data, cacheKey: "grey")
            var shown: [String] = []
            view.kf.setImage(with: provider, options: stand.options) { _ in shown.append(pixel(of: view)) }
            #expect(await GTK.wait { !shown.isEmpty })
            #expect(view.image?.pixels?.format == .gray8)
            #expect(shown == ["ffc8c8c8"])
        }

        /// Too large for the atlas in which GTK's GL renderer keeps small images for a while.
        private static var single: Image {
            get throws { try .solid([255, 0, 0, 255], width: 300, height: 300) }
        }

        @Test func drawnTextureMayBeLetGoOnAnotherThread() async throws {
            weak var pixels: PixelBuffer?
            do {
                let (window, view) = (TestWindow(), ImageView())
                let image = try Self.single
                pixels = image.pixels
                view.image = image
                try #require(await window.present(view))
                for _ in 0..<20 { await GTK.turn() }
                let texture = TextureCache.shared.texture(for: try #require(image.pixels))
                let last = Unmanaged.passRetained(try #require(texture))
                view.image = nil
                for _ in 0..<20 { await GTK.turn() }
                await Task.detached { last.release() }.value
            }
            #expect(await GTK.wait { pixels == nil })
        }

        @Test func closedWindowLetsThePixelsGo() async throws {
            weak var pixels: PixelBuffer?
            do {
                let (window, view) = (TestWindow(), ImageView())
                view.image = try Self.single
                pixels = view.image?.pixels
                try #require(await window.present(view))
                for _ in 0..<20 { await GTK.turn() }
                window.close()
            }
            #expect(await GTK.wait { pixels == nil })
        }
    }
}
