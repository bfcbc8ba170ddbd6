import CGtk
import Foundation
import Glibc
import KingfisherGTK
import KingfisherStorage
import KingfisherTestSupport
import Testing
@testable import Kingfisher

extension GTKTests {
    /// Images that another image of their source replaces.
    @Suite(.serialized) @MainActor struct ReplacedImages {
        let window = TestWindow(width: 100, height: 60)
        let rig: LoadingRig

        init() throws { rig = try LoadingRig() }

        nonisolated private static func png(_ color: SIMD4<UInt8>) throws -> Data {
            try #require(try Image.solid(color, width: 100, height: 60).pngData())
        }

        /// A blue image that is loaded when the gate ends.
        private struct GatedBlue: ImageDataProvider {
            let cacheKey = "blue"
            let gate: AsyncStream<Void>

            func data() async throws -> Data {
                for await _ in gate {}
                return try ReplacedImages.png([0, 0, 255, 255])
            }
        }

        @Test("A low-resolution image fills the view in which the full one replaces it")
        func lowResolution() async throws {
            let view = ImageView()
            view.contentMode = .scaleAspectFit
            try #require(await window.present(view))
            let low = try Image.solid([255, 0, 0, 255], width: 10, height: 6)
            rig.cache.memoryStorage.store(value: low, forKey: "low")
            let gate = AsyncStream<Void>.makeStream()
            var results: [Result<RetrieveImageResult, KingfisherError>] = []
            let source = Source.provider(
                RawImageDataProvider(data: try #require(low.pngData()), cacheKey: "low"))
            view.kf.setImage(
                with: .provider(GatedBlue(gate: gate.stream)), options: rig.options + [.lowResolution(source)]
            ) { results.append($0) }
            let size = CGSize(width: 100, height: 60)
            #expect(await GTK.wait { Screenshot(of: view)?.box(of: "ffff0000")?.size == size })
            #expect(results.isEmpty)
            gate.continuation.finish()
            #expect(await GTK.wait { Screenshot(of: view)?.box(of: "ff0000ff")?.size == size })
            #expect(await GTK.wait { results.count == 1 })
        }

        @Test("A watched file of a GtkPicture whose folder reports nothing is loaded when it is mapped")
        func mapped() async throws {
            let folder = TestFolders.unused()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "a.png")
            try Self.png([255, 0, 0, 255]).write(to: file)
            let image = gtk_picture_new()!
            let view = WidgetView(wrapping: image)
            try #require(await window.present(view))
            FileWatch.$folders.withValue(WatchedFolders(isRemote: { _ in true })) {
                _ = image.kf?.setImage(
                    with: .provider(LocalFileImageDataProvider(fileURL: file)),
                    options: rig.options + [.watchesFile])
            }
            #expect(await GTK.wait { Screenshot(of: view)?[50, 30] == "ffff0000" })
            gtk_widget_set_visible(image, 0)
            try Self.png([0, 0, 255, 255]).write(to: file)
            for _ in 0..<5 { await GTK.iterate() }
            #expect(image.kf?.base.image?.pixels?.samples(x: 50, y: 30) == [255, 0, 0, 255])
            gtk_widget_set_visible(image, 1)
            #expect(await GTK.wait { Screenshot(of: view)?[50, 30] == "ff0000ff" })
        }
    }
}
