import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

@Suite struct SharingIdentityTests {
    private struct Stateless: CacheSerializer {
        func data(with image: Image, original: Data?) -> Data? { nil }
        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? { nil }
    }

    private struct Stateful: CacheSerializer {
        let number: Int
        func data(with image: Image, original: Data?) -> Data? { nil }
        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? { nil }
    }

    private func same(_ one: any CacheSerializer, _ other: any CacheSerializer) -> Bool {
        ValueIdentity(one) == ValueIdentity(other)
    }

    @Test("Serializers are equal if they are stateless or compare as equal")
    func serializers() {
        var lossy = DefaultCacheSerializer()
        lossy.compressionQuality = 0.5
        let counting = CountingSerializer()
        #expect(same(DefaultCacheSerializer.default, DefaultCacheSerializer()))
        #expect(!same(DefaultCacheSerializer.default, lossy))
        #expect(same(FormatIndicatedCacheSerializer.png, FormatIndicatedCacheSerializer.png))
        #expect(!same(FormatIndicatedCacheSerializer.png, FormatIndicatedCacheSerializer.gif))
        #expect(!same(FormatIndicatedCacheSerializer.png, DefaultCacheSerializer.default))
        #expect(same(Stateless(), Stateless()))
        #expect(!same(Stateful(number: 1), Stateful(number: 1)))
        #expect(same(counting, counting))
        #expect(!same(counting, CountingSerializer()))
        let unknown = ValueIdentity(Stateful(number: 1))
        #expect(unknown == unknown && Set([unknown, unknown]).count == 1)
    }

    private struct Named: ImageDataProvider {
        let cacheKey: String
        var contentURL: URL?
        var salt = 0
        func data() async throws -> Data { Data() }
    }

    private final class Object: ImageDataProvider {
        let cacheKey = "key"
        func data() async throws -> Data { Data() }
    }

    private func same(
        _ one: any ImageDataProvider, _ other: any ImageDataProvider, wantsFresh: Bool = false
    ) -> Bool {
        ProviderIdentity(one, requiresFreshData: wantsFresh)
            == ProviderIdentity(other, requiresFreshData: wantsFresh)
    }

    @Test("Providers are equal by type, key, content URL and, if Equatable, value")
    func providers() {
        let url = URL(filePath: "/image")
        #expect(same(Named(cacheKey: "a"), Named(cacheKey: "a", salt: 1)))
        #expect(!same(Named(cacheKey: "a"), Named(cacheKey: "b")))
        #expect(!same(Named(cacheKey: "a"), Named(cacheKey: "a", contentURL: url)))
        #expect(same(Object(), Object()))
        let raw = RawImageDataProvider(data: Data([1]), cacheKey: "key")
        #expect(same(raw, RawImageDataProvider(data: Data([1]), cacheKey: "key")))
        #expect(!same(raw, RawImageDataProvider(data: Data([2]), cacheKey: "key")))
        #expect(!same(raw, Object()))
        #expect(!same(Base64ImageDataProvider(base64String: "AA", cacheKey: "key"), raw))
    }

    @Test("Equal thumbnail providers have one identity, also for fresh bytes", arguments: [false, true])
    func thumbnails(wantsFresh: Bool) {
        let url = URL(filePath: "/image")
        func thumbnail(_ side: CGFloat, key: String? = "key") -> ThumbnailImageDataProvider {
            ThumbnailImageDataProvider(url: url, maxPixelSize: side, cacheKey: key)
        }
        #expect(same(thumbnail(10), thumbnail(10), wantsFresh: wantsFresh))
        #expect(!same(thumbnail(10), thumbnail(20), wantsFresh: wantsFresh))
    }

    @Test("Fresh bytes of providers that are not Equatable need the same object or content URL")
    func freshProviders() {
        let url = URL(filePath: "/image")
        let object = Object()
        #expect(!same(Named(cacheKey: "a"), Named(cacheKey: "a"), wantsFresh: true))
        #expect(
            same(
                Named(cacheKey: "a", contentURL: url), Named(cacheKey: "a", contentURL: url), wantsFresh: true
            ))
        #expect(same(object, object, wantsFresh: true))
        #expect(!same(object, Object(), wantsFresh: true))
        let raw = RawImageDataProvider(data: Data([1]), cacheKey: "key")
        #expect(same(raw, RawImageDataProvider(data: Data([1]), cacheKey: "key"), wantsFresh: true))
    }
}
