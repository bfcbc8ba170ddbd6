import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// The snippets of `Cookbook.md`, which are the files in `Recipes`.
    @Suite(.serialized) @MainActor final class Cookbook {
        private let kitchen: Kitchen
        private let gate = ServerGate()
        private let earlier = KingfisherManager.shared.defaultOptions

        init() throws {
            let gate = gate
            let server = try LoopbackServer { request in
                let name = String(request.path.dropFirst())
                guard let data = try? Fixtures.data(named: "Photos/\(name.replacing("slow-", with: ""))")
                else { return .status(404) }
                guard name.hasPrefix("slow-") else { return .ok(data) }
                return .partial(data.prefix(data.count * 3 / 5), of: data.count, then: .hold(gate))
            }
            let folder = TestFolders.unused()
            let cache = try ImageCache(name: "cookbook", cacheDirectoryURL: folder.appending(path: "cache"))
            kitchen = Kitchen(server: server, folder: folder, cache: cache)
            KingfisherManager.shared.defaultOptions = [.targetCache(cache)]
        }

        isolated deinit {
            gate.release()
            kitchen.server.stop()
            KingfisherManager.shared.defaultOptions = earlier
            Recipe.setDark(false)
            try? FileManager.default.removeItem(at: kitchen.folder)
        }

        @Test("Each recipe shows what its text says", arguments: Recipe.all)
        func state(_ recipe: Recipe) async throws {
            let view = try await recipe.make(kitchen)
            gtk_widget_set_margin_start(view.widget, recipe.margin)
            gtk_widget_set_margin_end(view.widget, recipe.margin)
            gtk_widget_set_margin_top(view.widget, recipe.margin)
            gtk_widget_set_margin_bottom(view.widget, recipe.margin)
            let window = TestWindow(width: recipe.width, height: recipe.height)
            try #require(await window.present(view))
            try #require(await GTK.wait { recipe.isReady(view) })
            // GTK draws a changed widget in the next frame.
            let count = window.frameCount
            gtk_widget_queue_draw(view.widget)
            _ = await GTK.wait { window.frameCount > count }
            try await Screenshot.take(of: window, named: recipe.name)
        }

        @Test("A copied photo is offered as its file, byte for byte, and as a texture and PNG")
        func copies() async throws {
            let file = try Fixtures.data(named: "Photos/coffee.jpg")
            let result = try await KingfisherManager.shared.retrieveData(
                with: kitchen.url("coffee.jpg"), options: originalFile)
            let image = try #require(Image(data: file))
            let content = try #require(offer(image, result))
            let clipboard = gdk_display_get_clipboard(gdk_display_get_default())
            gdk_clipboard_set_content(clipboard, content)
            g_object_unref(UnsafeMutableRawPointer(content))
            defer { gdk_clipboard_set_content(clipboard, nil) }
            let formats = gdk_clipboard_get_formats(clipboard)
            #expect(gdk_content_formats_contain_mime_type(formats, "image/jpeg") != 0)
            #expect(gdk_content_formats_contain_gtype(formats, gdk_texture_get_type()) != 0)
            let all = try #require(
                gdk_content_formats_union_serialize_mime_types(gdk_content_formats_ref(formats)))
            #expect(gdk_content_formats_contain_mime_type(all, "image/png") != 0)
            gdk_content_formats_unref(all)
            // Not compared by the macro, which would look for the differences of 100,000 bytes.
            let isSame = result.data == file
            #expect(isSame)
        }

        @Test("The article shows the code that is compiled and drawn here, each recipe with its image")
        func article() throws {
            let catalogue = "Sources/Toolkits/KingfisherGTK/KingfisherGTK.docc"
            let page = try RepositoryPage.text("\(catalogue)/Cookbook.md")
            let blocks = page.matches(of: #/```swift\n([\s\S]*?)```/#).map { String($0.1) }
            let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Recipes")
            let code = try FileManager.default.contentsOfDirectory(
                at: folder, includingPropertiesForKeys: nil
            )
            .map {
                try String(contentsOf: $0, encoding: .utf8).replacing("import KingfisherGTK\n\n", with: "")
            }
            #expect(blocks.sorted() == code.sorted())
            #expect(Recipe.all.count == 19)
            for recipe in Recipe.all {
                #expect(page.contains("(\(recipe.name).jpg)"), "\(recipe.name)")
            }
        }
    }
}
