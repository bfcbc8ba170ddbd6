import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct BundleProviderTests {
    /// A bundle with empty files of these names.
    private func bundle(_ names: String...) throws -> (Bundle, TemporaryFolder) {
        let folder = try TemporaryFolder()
        let root = folder.url.appending(path: "App_App.resources")
        for name in names {
            let file = root.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(name.utf8).write(to: file)
        }
        return (try #require(Bundle(path: root.path)), folder)
    }

    private func found(_ name: String, _ bundle: Bundle, scale: CGFloat = 1) async throws -> String {
        let data = try await BundleImageDataProvider(named: name, in: bundle, scale: scale).data()
        return String(decoding: data, as: UTF8.self)
    }

    @Test("The file for the scale is preferred, then one for a larger scale, then for a smaller one")
    func scales() async throws {
        let (all, folder) = try bundle("logo.png", "logo@2x.png", "logo@3x.png")
        for (scale, name) in [(1, "logo.png"), (1.5, "logo@2x.png"), (2, "logo@2x.png"), (4, "logo@3x.png")] {
            #expect(try await found("logo.png", all, scale: scale) == name)
            #expect(try await found("logo", all, scale: scale) == name)
        }
        let (some, other) = try bundle("logo.png", "logo@3x.png", "icon@2x.jpg")
        #expect(try await found("logo", some, scale: 2) == "logo@3x.png")
        #expect(try await found("icon", some) == "icon@2x.jpg")
        withExtendedLifetime((folder, other)) {}
    }

    @Test("Names may have subfolders, dots, or no extension")
    func names() async throws {
        let (bundle, folder) = try bundle("icons/v1.2@2x.png", "raw", "logo.png/x")
        #expect(try await found("icons/v1.2", bundle, scale: 2) == "icons/v1.2@2x.png")
        #expect(try await found("raw", bundle, scale: 2) == "raw")
        for name in ["logo", "logo.png", "none", ""] {
            await #expect(throws: BundleImageDataProvider.BundleImageError.notFound(name: name)) {
                try await found(name, bundle)
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test("Without an identifier, the key has the path of the bundle, and the scale")
    func keys() throws {
        let (one, folder) = try bundle("logo.png")
        let (other, otherFolder) = try bundle("logo.png")
        let source = Source.bundle("logo", in: one, scale: 2)
        let path = folder.url.appending(path: "App_App.resources").path
        #expect(source.cacheKey == "kingfisher.bundle/\(path)/logo@2.0x")
        #expect(source != .bundle("logo", in: one))
        #expect(source.cacheKey != Source.bundle("logo", in: other, scale: 2).cacheKey)
        withExtendedLifetime((folder, otherFolder)) {}
    }

    @Test("The key of an image of the main bundle has the path of the executable")
    func mainKey() throws {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let owner = Bundle.main.bundleIdentifier ?? executable
        #expect(Source.bundle("logo").cacheKey == "kingfisher.bundle/\(owner)/logo@1.0x")
    }

    @Test("A manager loads an image of a bundle, and reports a missing one as dataProviderError")
    func manager() async throws {
        let bench = try Bench()
        let (bundle, folder) = try bundle("logo@2x.png")
        try TestImages.png.write(to: bundle.bundleURL.appending(path: "logo@2x.png"))
        let options: KingfisherOptionsInfo = [.scaleFactor(2)]
        let image = try await bench.retrieve(.bundle("logo", in: bundle, scale: 2), options).get().image
        #expect(image.size == CGSize(width: 16.5, height: 10.5))
        #expect(reason(try await bench.retrieve(.bundle("none", in: bundle))) == "dataProviderError")
        withExtendedLifetime(folder) {}
    }
}
