import CGtk
import Foundation
import KingfisherGTK
import KingfisherTestSupport
import TestHelpers
import Testing

extension GTKTests {
    @Suite @MainActor struct GResourceTests {
        /// A GResource that is registered until its last reference is released.
        private final class Registered {
            let resource: OpaquePointer
            let folder = TestFolders.unused()

            /// Compiles fixtures: `name`, and `name` compressed as `packed-name`.
            init(_ names: String...) throws {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let files = names.map { name in
                    let path = Fixtures.url(named: name).path
                    let last = (name as NSString).lastPathComponent
                    return """
                        <file alias="\(last)">\(path)</file>
                        <file alias="packed-\(last)" compressed="true">\(path)</file>
                        """
                }
                let list = folder.appending(path: "list.xml")
                let text = """
                    <gresources><gresource prefix="/org/example/a b">\(files.joined())</gresource></gresources>
                    """
                try Data(text.utf8).write(to: list)
                let target = folder.appending(path: "test.gresource")
                let compiler = Process()
                compiler.executableURL = URL(filePath: "/usr/bin/env")
                compiler.arguments = ["glib-compile-resources", "--target=\(target.path)", list.path]
                try compiler.run()
                compiler.waitUntilExit()
                resource = try #require(g_resource_load(target.path, nil))
                g_resources_register(resource)
            }

            deinit {
                g_resources_unregister(resource)
                g_resource_unref(resource)
                try? FileManager.default.removeItem(at: folder)
            }
        }

        private let prefix = "/org/example/a b"

        @Test("A resource supplies its bytes, compressed or not", arguments: ["", "packed-"])
        func bytes(kind: String) async throws {
            let registered = try Registered("PNG/rgba8.png")
            let expected = try Fixtures.data(named: "PNG/rgba8.png")
            let provider = GResourceImageDataProvider(path: "\(prefix)/\(kind)rgba8.png")
            #expect(try await provider.data() == expected)
            withExtendedLifetime(registered) {}
        }

        @Test("An uncompressed resource is used in place, and outlives its registration")
        func inPlace() async throws {
            let path = "\(prefix)/rgba8.png"
            var data = Data()
            do {
                let registered = try Registered("PNG/rgba8.png")
                data = try await GResourceImageDataProvider(path: path).data()
                let stored = try #require(
                    g_resource_lookup_data(registered.resource, path, GResourceLookupFlags(rawValue: 0), nil))
                defer { g_bytes_unref(stored) }
                let start = g_bytes_get_data(stored, nil)
                #expect(data.withUnsafeBytes { $0.baseAddress == start })
            }
            #expect(data == (try Fixtures.data(named: "PNG/rgba8.png")))
            await #expect(throws: GResourceImageDataProvider.GResourceError.notFound(path: path)) {
                _ = try await GResourceImageDataProvider(path: path).data()
            }
        }

        @Test("A missing resource, an empty path and a folder fail with notFound")
        func missing() async throws {
            let registered = try Registered("PNG/rgba8.png")
            for path in ["\(prefix)/none.png", "", prefix, "rgba8.png"] {
                await #expect(throws: GResourceImageDataProvider.GResourceError.notFound(path: path)) {
                    _ = try await GResourceImageDataProvider(path: path).data()
                }
            }
            withExtendedLifetime(registered) {}
        }

        @Test("A URL of a resource becomes a path and back; other URLs are refused")
        func urls() throws {
            let url = try #require(URL(string: "resource:///org/example/a%20b/rgba8.png"))
            let provider = try #require(GResourceImageDataProvider(url: url))
            #expect(provider.path == "\(prefix)/rgba8.png" && provider.contentURL == url)
            #expect(provider.cacheKey == GResourceImageDataProvider(path: provider.path).cacheKey)
            for text in ["file:///org/a.png", "https://example.com/a.png", "resource://org/a.png"] {
                let other = try #require(URL(string: text))
                #expect(GResourceImageDataProvider(url: other) == nil)
            }
        }

        @Test("A view shows a resource; its URL alone fails, because it is not downloaded")
        func view() async throws {
            let registered = try Registered("PNG/rgba8.png")
            let rig = try LoadingRig()
            let view = ImageView()
            let inbox = Inbox<Result<RetrieveImageResult, KingfisherError>>()
            view.kf.setImage(with: .resource("\(prefix)/packed-rgba8.png"), options: rig.options) {
                inbox.put($0)
            }
            let image = try await inbox.first().get().image
            #expect(image.size == CGSize(width: 33, height: 21) && view.image === image)
            let url = try #require(URL(string: "resource:///org/example/a%20b/rgba8.png"))
            let downloader = ImageDownloader(name: "resources")
            view.kf.setImage(with: url, options: rig.options + [.downloader(downloader)]) { inbox.put($0) }
            let result = try await inbox.first(2)[1]
            guard case .failure(.responseError(.URLSessionError(let cause))) = result else {
                Issue.record("\(result)")
                return
            }
            #expect((cause as? URLError)?.code == .badURL)
            withExtendedLifetime(registered) {}
        }
    }
}
