import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct SourceTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("The key of a URL is the absolute string with query and fragment")
    func remoteKey() throws {
        let text = "https://example.com/a/b.png?size=2#top"
        #expect(try url(text).cacheKey == text)
        #expect(try url(text).downloadURL == url(text))
        let source = Source.network(try url(text))
        #expect(source.cacheKey == text)
        #expect(source.url == (try url(text)))
    }

    @Test(
        "The key of a file contains the path from the last bundle on, or the whole path, and the query",
        .behaviours("D-7"),
        arguments: [
            ("file:///private/var/app/photo.png", "kingfisher.local.cacheKey///private/var/app/photo.png"),
            ("file:///a/One.app/x/y.png", "kingfisher.local.cacheKey/One.app/x/y.png"),
            ("file:///a/One.app/PlugIns/Two.appex/y.png", "kingfisher.local.cacheKey/Two.appex/y.png"),
            ("file:///a/One.app/y.png?v=1", "kingfisher.local.cacheKey/One.app/y.png?v=1"),
            ("file:///a/y.png?v=1", "kingfisher.local.cacheKey///a/y.png?v=1"),
        ])
    func fileKey(text: String, key: String) throws {
        #expect(try url(text).cacheKey == key)
        #expect(LocalFileImageDataProvider(fileURL: try url(text)).cacheKey == key)
    }

    @Test("An image resource has its explicit key, or that of the URL")
    func imageResource() throws {
        let remote = try url("https://example.com/a.png")
        #expect(KF.ImageResource(downloadURL: remote).cacheKey == remote.absoluteString)
        let named = ImageResource(downloadURL: remote, cacheKey: "key")
        #expect(named.cacheKey == "key")
        #expect(named.downloadURL == remote)
    }

    @Test("A resource with a file URL becomes a provider and preserves an explicit key", .behaviours("D-8"))
    func fileResource() throws {
        let file = URL(filePath: "/tmp/image.png")
        let cases: [(Source, String)] = [
            (file.convertToSource(), file.cacheKey),
            (KF.ImageResource(downloadURL: file, cacheKey: "key").convertToSource(), "key"),
            (file.convertToSource(overrideCacheKey: "other"), "other"),
        ]
        for (source, key) in cases {
            guard case .provider(let provider) = source else {
                Issue.record("\(source)")
                continue
            }
            #expect(provider.cacheKey == key)
            #expect(provider.contentURL == file)
            #expect(source.url == file)
        }
    }

    @Test("A resource with a remote URL becomes a network source and preserves an explicit key")
    func remoteResource() throws {
        let remote = try url("https://example.com/a.png")
        for (source, key) in [
            (remote.convertToSource(), remote.absoluteString),
            (remote.convertToSource(overrideCacheKey: "key"), "key"),
        ] {
            guard case .network(let resource) = source else {
                Issue.record("\(source)")
                continue
            }
            #expect(resource.cacheKey == key)
            #expect(resource.downloadURL == remote)
        }
    }

    @Test("A file is retrieved through the manager like any resource")
    func retrievesFile() async throws {
        let bench = try Bench()
        let file = Fixtures.url(named: "PNG/rgba8.png")
        let result = try await bench.manager.retrieveImage(with: file)
        #expect(result.image.size == TestImages.pngSize)
        #expect(bench.stub.requests.isEmpty)
        #expect(bench.cache.isCached(forKey: file.cacheKey))
    }

    @Test("Sources are equal by key and URL")
    func equality() throws {
        let remote = try url("https://example.com/a.png")
        let source = Source.network(remote)
        #expect(source == .network(KF.ImageResource(downloadURL: remote)))
        #expect(source != .network(KF.ImageResource(downloadURL: remote, cacheKey: "other")))
        #expect(source != .provider(RawImageDataProvider(data: Data(), cacheKey: remote.cacheKey)))
        #expect(Set([source, .network(remote)]).count == 1)
    }
}
