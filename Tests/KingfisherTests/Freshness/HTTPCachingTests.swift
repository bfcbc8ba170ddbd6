import Foundation
import KingfisherStorage
import KingfisherTestSupport
import KingfisherTransport
import TestHelpers
import Testing

@testable import Kingfisher

/// `.httpCaching` against a server that counts its requests.
@Suite struct HTTPCachingTests {
    @Test("A fresh image needs no request: from memory inside the call on the calling thread, and from disk")
    func fresh() async throws {
        let rig = try FreshnessRig()
        try await rig.expect(.none, requests: 1)
        rig.clock.advance(by: 59)
        let answers = Locked<[CacheType]>([])
        let task = rig.manager.retrieveImage(
            with: rig.url, options: [.httpCaching, .callbackQueue(.untouch)]
        ) {
            result in
            answers.withLock { $0 += [(try? result.get().cacheType) ?? .none] }
        }
        #expect(task == nil && answers.withLock { $0 } == [.memory])
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0)
        try await rig.expect(.memory, requests: 0)
        rig.clock.advance(by: 1)
        try await rig.expect(.memory, requests: 1)
    }

    @Test(
        "A stale image takes one conditional request; a 304 without a body renews it in both caches",
        arguments: [CacheType.memory, .disk])
    func unmodified(type: CacheType) async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        if type == .disk { rig.cache.clearMemoryCache() }
        let image = try await rig.expect(type, requests: 1)
        #expect(image.size == TestImages.pngSize)
        #expect(rig.askedTags == [nil, "\"1\""])
        rig.clock.advance(by: 59)
        #expect(try await rig.expect(.memory, requests: 0) === image)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0)
        rig.clock.advance(by: 1)
        try await rig.expect(.memory, requests: 1)
        #expect(rig.askedTags.last == "\"1\"")
    }

    @Test("A 304 renews the file as if it were new, and its fields replace the old ones")
    func renewed() async throws {
        let rig = try FreshnessRig()
        let days: KingfisherOptionsInfo = [
            .diskCacheExpiration(.days(1)), .diskCacheAccessExtendingExpiration(.none),
        ]
        try await rig.loadAndAge(days)
        rig.clock.advance(by: 80_000)
        rig.cache.clearMemoryCache()
        rig.serve { $0.fields = [("Cache-Control", "max-age=9000")] }
        try await rig.expect(.disk, requests: 1, days)
        rig.clock.advance(by: 8_999)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0, days)
    }

    @Test(
        "A changed image replaces the old one in memory and on disk", arguments: [false, true])
    func changed(fromDisk: Bool) async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        if fromDisk { rig.cache.clearMemoryCache() }
        try rig.serveAnother()
        let image = try await rig.expect(.none, requests: 1)
        #expect(image.size != TestImages.pngSize)
        #expect(try await rig.expect(.memory, requests: 0) === image)
        rig.cache.clearMemoryCache()
        #expect(try await rig.expect(.disk, requests: 0).size == image.size)
        rig.clock.advance(by: 60)
        try await rig.expect(.memory, requests: 1)
        #expect(rig.askedTags == [nil, "\"1\"", "\"2\""])
    }

    @Test("Last-Modified serves as a validator and as the base of a heuristic lifetime")
    func lastModified() async throws {
        let rig = try FreshnessRig(nil)
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        rig.serve { ($0.tag, $0.fields) = (nil, [("Last-Modified", date)]) }
        try await rig.expect(.none, requests: 1)
        rig.clock.advance(by: 86_399)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0)
        rig.clock.advance(by: 1)
        try await rig.expect(.none, requests: 1)
        #expect(rig.server.requests.last?.header("If-Modified-Since") == date)
    }

    @Test("A stale image without a validator is downloaded again")
    func noValidator() async throws {
        let rig = try FreshnessRig()
        rig.serve { $0.tag = nil }
        try await rig.loadAndAge()
        try await rig.expect(.none, requests: 1)
        #expect(rig.askedTags == [nil, nil])
    }

    @Test("no-cache revalidates on each request, and a 304 suffices")
    func noCache() async throws {
        let rig = try FreshnessRig("no-cache, max-age=60")
        try await rig.expect(.none, requests: 1)
        try await rig.expect(.memory, requests: 1)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 1)
        #expect(rig.askedTags == [nil, "\"1\"", "\"1\""])
    }

    @Test("A no-store image is not cached and removes the cached one", arguments: [false, true])
    func noStore(replacesOld: Bool) async throws {
        let rig = try FreshnessRig(replacesOld ? "max-age=60" : "no-store")
        if replacesOld {
            try await rig.loadAndAge()
            try rig.serveAnother()
            rig.serve { $0.fields = [("Cache-Control", "max-age=60, no-store")] }
        }
        for _ in 0..<2 { try await rig.expect(.none, requests: 1, [.cacheOriginalImage]) }
        try await rig.cache.settle()
        #expect(rig.cache.imageCachedType(forKey: rig.key) == .none)
        let processed: KingfisherOptionsInfo = [.processor(CountingProcessor("p")), .cacheOriginalImage]
        try await rig.expect(.none, requests: 1, processed)
        try await rig.cache.settle()
        #expect(!rig.cache.isCached(forKey: rig.key, processorIdentifier: "p"))
        #expect(!rig.cache.isCached(forKey: rig.key))
    }

    @Test("A 304 with no-store removes the image from the caches")
    func noStoreOn304() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        rig.serve { $0.fields = [("Cache-Control", "no-store")] }
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 1)
        try await rig.cache.settle()
        #expect(rig.cache.imageCachedType(forKey: rig.key) == .none)
    }

    @Test("Without the option nothing is recorded or revalidated")
    func withoutOption() async throws {
        let rig = try FreshnessRig("no-store")
        func plain(_ options: KingfisherOptionsInfo = []) async throws -> CacheType {
            try await outcome {
                rig.manager.retrieveImage(
                    with: rig.url, options: [.waitForCache] + options, completionHandler: $0)
            }.get().cacheType
        }
        #expect(try await plain() == .none)
        #expect(try rig.records() == [])
        #expect(try await plain() == .memory)
        rig.cache.clearMemoryCache()
        #expect(try await plain() == .disk)
        #expect(rig.cache.notes.count == 0)
        // An image stored without the option has no record, so the option does not revalidate it.
        rig.clock.advance(by: 1_000)
        try await rig.expect(.disk, requests: 0)
        // An image stored with the option is used without it like any other.
        rig.serve { $0.fields = [("Cache-Control", "max-age=60")] }
        try await rig.expect(.none, requests: 1, [.forceRefresh])
        #expect(try rig.records()?.map(\.kind) == [.httpFreshness])
        rig.clock.advance(by: 100)
        #expect(try await plain() == .memory)
        rig.cache.clearMemoryCache()
        #expect(try await plain() == .disk)
        #expect(rig.server.requestCount() == 2)
        // It is still revalidated with the option, although other requests loaded it into memory.
        try await rig.expect(.memory, requests: 1)
    }

    @Test("A record of an unknown version, or a missing record, is ignored")
    func unknownRecord() async throws {
        let rig = try FreshnessRig()
        let png = try TestImages.png
        for bytes in [[9, 9, 9], [UInt8]()] {
            try rig.cache.diskStorage.store(
                png, forKey: rig.key, expiration: nil, forcedExtension: nil,
                records: [try #require(EntryRecord(.httpFreshness, bytes))])
            rig.cache.clearMemoryCache()
            rig.clock.advance(by: 1_000)
            try await rig.expect(.disk, requests: 0)
        }
    }

    @Test("The option works in a manager's defaults and in the async functions")
    func defaults() async throws {
        let rig = try FreshnessRig()
        rig.manager.defaultOptions = [.httpCaching, .waitForCache]
        #expect(try await rig.manager.retrieveImage(with: rig.url).cacheType == .none)
        #expect(try await rig.manager.retrieveImage(with: rig.url).cacheType == .memory)
        await rig.settle()
        rig.clock.advance(by: 61)
        #expect(try await rig.manager.retrieveImage(with: rig.url).cacheType == .memory)
        await rig.settle()
        rig.clock.advance(by: 61)
        try rig.serveAnother()
        #expect(try await rig.manager.retrieveImage(with: rig.url).cacheType == .none)
        #expect(rig.askedTags == [nil, "\"1\"", "\"1\""])
    }

    @Test("forceRefresh requests the whole image, and the result is fresh")
    func forceRefresh() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        try await rig.expect(.none, requests: 1, [.forceRefresh])
        try await rig.expect(.memory, requests: 0)
        #expect(rig.askedTags == [nil, nil])
    }

    @Test("An image in memory only is revalidated, too, even without the disk")
    func memoryOnly() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge([.cacheMemoryOnly])
        try await rig.expect(.memory, requests: 1, [.cacheMemoryOnly])
        rig.clock.advance(by: 61)
        try await rig.expect(.memory, requests: 1, [.fromMemoryCacheOrRefresh, .cacheMemoryOnly])
        #expect(try rig.records() == nil)
        rig.cache.clearMemoryCache()
        try await rig.expect(.none, requests: 1, [.fromMemoryCacheOrRefresh])
        #expect(rig.askedTags == [nil, "\"1\"", "\"1\"", nil])
    }

    @Test("With cacheMemoryOnly, a 304 for an image from disk renews its file")
    func memoryOnlyFromDisk() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 1, [.cacheMemoryOnly])
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0)
    }

    @Test("A synchronous disk read delivers on the calling thread while the image is fresh")
    func synchronousDisk() async throws {
        let rig = try FreshnessRig()
        try await rig.expect(.none, requests: 1)
        rig.cache.clearMemoryCache()
        let types = Locked<[CacheType]>([])
        rig.manager.retrieveImage(
            with: rig.url, options: [.httpCaching, .loadDiskFileSynchronously, .callbackQueue(.untouch)]
        ) { result in types.withLock { $0 += [(try? result.get().cacheType) ?? .none] } }
        #expect(types.withLock { $0 } == [.disk])
        rig.clock.advance(by: 61)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 1, [.loadDiskFileSynchronously])
    }

    @Test("An image that varies on Accept serves only requests with the same Accept")
    func vary() async throws {
        let rig = try FreshnessRig()
        rig.serve { $0.fields += [("Vary", "Accept")] }
        func accepting(_ value: String) -> KingfisherOptionsInfo {
            [
                .requestModifier(
                    AnyModifier { request in
                        var request = request
                        request.setValue(value, forHTTPHeaderField: "Accept")
                        return request
                    })
            ]
        }
        try await rig.expect(.none, requests: 1, accepting("image/webp"))
        try await rig.expect(.memory, requests: 0, accepting("image/webp"))
        try await rig.expect(.none, requests: 1, accepting("image/png"))
        try await rig.expect(.memory, requests: 0, accepting("image/png"))
        rig.clock.advance(by: 61)
        try await rig.expect(.memory, requests: 1, accepting("image/png"))
        #expect(rig.askedTags == [nil, nil, "\"1\""])
    }

    @Test("A condition set by a request modifier is sent, and no other is added")
    func modifier() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let condition = AnyModifier { request in
            var request = request
            request.setValue("\"mine\"", forHTTPHeaderField: "If-None-Match")
            return request
        }
        try await rig.expect(.none, requests: 1, [.requestModifier(condition)])
        #expect(rig.askedTags == [nil, "\"mine\""])
    }

    @Test("The response to a method other than GET is not cached, and its request has no condition")
    func otherMethod() async throws {
        let rig = try FreshnessRig()
        let post: KingfisherOptionsInfo = [
            .requestModifier(
                AnyModifier { request in
                    var request = request
                    request.httpMethod = "POST"
                    return request
                })
        ]
        for _ in 0..<2 { try await rig.expect(.none, requests: 1, post) }
        try await rig.cache.settle()
        #expect(rig.cache.imageCachedType(forKey: rig.key) == .none)
        try await rig.loadAndAge()
        try await rig.expect(.none, requests: 1, post)
        #expect(rig.askedTags == [nil, nil, nil, nil])
    }

    @Test("Without caching fields, the whole image is requested each time")
    func withoutFields() async throws {
        let rig = try FreshnessRig(nil)
        rig.serve { $0.tag = nil }
        for _ in 0..<2 { try await rig.expect(.none, requests: 1) }
        rig.server.stop()
        try await rig.expect(.memory, requests: 0)
    }

    @Test(
        "An image behind a redirect is fresh no longer than the redirect, whose target may change"
    )
    func redirected() async throws {
        let rig = try FreshnessRig("max-age=200, immutable")
        rig.serve { $0.location = "/a" }
        try await rig.expect(.none, requests: 2)
        try await rig.expect(.memory, requests: 2)
        rig.serve { $0.redirect.fields = [("Cache-Control", "max-age=60")] }
        try await rig.expect(.memory, requests: 2)
        rig.clock.advance(by: 59)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0)
        rig.clock.advance(by: 1)
        try rig.serveAnother()
        rig.serve { ($0.location, $0.redirect.status, $0.redirect.fields) = ("/b", 308, []) }
        try await rig.expect(.none, requests: 2)
        rig.clock.advance(by: 199)
        try await rig.expect(.memory, requests: 0)
    }

    @Test("A 304 from the target of another redirect confirms nothing; the whole image is requested")
    func redirectedElsewhere() async throws {
        let rig = try FreshnessRig()
        rig.serve { $0.location = "/a" }
        try await rig.loadAndAge()
        try await rig.expect(.memory, requests: 2)
        rig.clock.advance(by: 61)
        rig.serve { $0.location = "/b" }
        try await rig.expect(.none, requests: 4)
        #expect(rig.askedTags.suffix(4) == ["\"1\"", "\"1\"", nil, nil])
    }

    @Test("A 304 with another tag confirms nothing; the whole image is requested")
    func otherTag() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        rig.serve { $0.confirmedTag = "\"2\"" }
        try await rig.expect(.none, requests: 2)
        #expect(rig.askedTags == [nil, "\"1\"", nil])
    }
}
