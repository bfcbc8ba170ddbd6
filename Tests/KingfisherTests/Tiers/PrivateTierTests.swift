import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherTransport

/// Images for one user, which tiers must not get.
@Suite struct PrivateTierTests {
    private let tier = MemoryTier(keepsOriginals: true)
    private let url = Bench.freshURL()
    /// An image for all users.
    private let other = Bench.freshURL()

    /// - Parameter fields: Those of the response for `url`.
    private func bench(_ fields: [String: String] = [:]) throws -> Bench {
        let png = try TestImages.png
        let bench = try Bench { [url] request in
            StubAnswer(headers: request.url == url ? fields : [:], body: png)
        }
        bench.manager.tiers = [tier]
        return bench
    }

    private func processed(_ identifier: String) -> KingfisherOptionsInfo {
        [.processor(CountingProcessor(identifier)), .cacheOriginalImage, .waitForCache]
    }

    /// Loads the image for all users, whose writes come after all others, and expects no other keys.
    private func expectOnlyOther(
        _ bench: Bench, at location: SourceLocation = #_sourceLocation
    ) async throws {
        _ = try await bench.retrieve(other, processed("p")).get()
        let keys = [
            TierKey(cacheKey: other.cacheKey), TierKey(cacheKey: other.cacheKey, processorIdentifier: "p"),
        ]
        #expect(
            await poll { Set(tier.entries.keys).isSuperset(of: keys) }, sourceLocation: location)
        #expect(Set(tier.writes) == Set(keys), sourceLocation: location)
    }

    private func records(_ cache: ImageCache, _ key: String) throws -> [EntryRecord.Kind]? {
        try cache.diskStorage.entry(forKey: key, forcedExtension: nil, extendingExpiration: .none)?
            .records.map(\.kind)
    }

    @Test(
        "Images with Cache-Control: private never reach a tier, with and without httpCaching",
        arguments: ["private", "max-age=60, Private", "private=\"x-field\", max-age=60"], [true, false])
    func declared(field: String, isCaching: Bool) async throws {
        let bench = try bench(["Cache-Control": field])
        let caching: KingfisherOptionsInfo = isCaching ? [.httpCaching] : []
        _ = try await bench.retrieve(url, processed("p") + caching).get()
        try await expectOnlyOther(bench)
        for key in [url.cacheKey, url.cacheKey.computedKey(with: "p")] {
            #expect(try records(bench.cache, key)?.last == .isPrivate)
        }
        #expect(try records(bench.cache, other.cacheKey) == [], "entries without the field are as before")
    }

    @Test("Images with a private redirect never reach a tier")
    func redirected() async throws {
        let png = try TestImages.png
        let bench = try Bench { [url] request in
            request.url == url
                ? StubAnswer(status: 302, headers: ["Location": "/x", "Cache-Control": "private"])
                : .ok(png)
        }
        bench.manager.tiers = [tier]
        _ = try await bench.retrieve(url, processed("p")).get()
        try await expectOnlyOther(bench)
    }

    @Test(
        "Images that were fetched with credentials never reach a tier",
        arguments: ["authorization", "Cookie", "Proxy-Authorization", "X-Other"])
    func credentials(field: String) async throws {
        let bench = try bench()
        let modifier = AnyModifier.setting(field, to: "1")
        _ = try await bench.retrieve(url, processed("p") + [.requestModifier(modifier)]).get()
        guard field == "X-Other" else { return try await expectOnlyOther(bench) }
        #expect(await poll { tier.writes.count == 2 })
    }

    @Test("Images of a URL with user info never reach a tier, with any key")
    func userInfo() async throws {
        let bench = try bench()
        let text = url.absoluteString.replacing("//", with: "//me:secret@")
        let resource = KF.ImageResource(downloadURL: try #require(URL(string: text)), cacheKey: "key")
        _ = try await bench.retrieve(.network(resource), processed("p")).get()
        try await expectOnlyOther(bench)
    }

    @Test(
        "Images that are made later of a private original never reach a tier",
        arguments: ["memory", "disk", "new process"])
    func promoted(place: String) async throws {
        let bench = try bench(["Cache-Control": "private"])
        let inMemory: KingfisherOptionsInfo = [.waitForCache]
        _ = try await bench.retrieve(url, place == "memory" ? inMemory : processed("p")).get()
        if place == "disk" { bench.cache.clearMemoryCache() }
        let cache =
            place == "new process"
            ? try ImageCache(name: "bench", cacheDirectoryURL: bench.folder.url) : bench.cache
        let manager = KingfisherManager(downloader: bench.downloader, cache: cache)
        manager.tiers = [tier]
        let options = processed("q")
        let made: Result<RetrieveImageResult, KingfisherError> = try await outcome { [url] in
            manager.retrieveImage(with: .network(url), options: options, completionHandler: $0)
        }
        #expect(reason(made) == nil && bench.stub.requests.count == 1)
        // The private mark is stored with the new image.
        try await cache.settle()
        #expect(try records(cache, url.cacheKey.computedKey(with: "q")) == [.isPrivate])
        try await expectOnlyOther(bench)
    }

    @Test("A 304 with Cache-Control: private keeps the image and those made of it from tiers")
    func confirmed() async throws {
        let rig = try FreshnessRig()
        rig.manager.tiers = [tier]
        try await rig.loadAndAge()
        let key = TierKey(cacheKey: rig.key)
        #expect(await poll { tier.writes == [key] })
        rig.serve { $0.fields = [("Cache-Control", "private, max-age=60")] }
        // This request gets the 304, and makes its image of the original on disk.
        rig.cache.clearMemoryCache()
        try await rig.expect(.none, requests: 1, [.processor(CountingProcessor("p"))])
        #expect(try rig.records()?.contains { $0.kind == .isPrivate } == true)
        // A later 304 without the field does not make it public.
        rig.serve { $0.fields = [("Cache-Control", "max-age=60")] }
        rig.clock.advance(by: 61)
        rig.cache.clearMemoryCache()
        try await rig.expect(.none, requests: 1, [.processor(CountingProcessor("q"))])
        #expect(try rig.records()?.filter { $0.kind == .isPrivate }.count == 1)
        let last = rig.server.url("/2.png")
        _ = try await rig.manager.retrieveImage(with: last)
        #expect(await poll { tier.writes.count == 2 })
        #expect(tier.writes == [key, TierKey(cacheKey: last.cacheKey)])
    }

    @Test("A disk tier does not give the private images of its cache")
    func diskTier() async throws {
        let bench = try bench(["Cache-Control": "private"])
        bench.manager.tiers = []
        for url in [url, other] { _ = try await bench.retrieve(url, [.waitForCache]).get() }
        let disk = DiskTier(bench.cache)
        guard case .absent = try await disk.read(TierKey(cacheKey: url.cacheKey)),
            case .hit = try await disk.read(TierKey(cacheKey: other.cacheKey))
        else {
            Issue.record("expected only the image for all users")
            return
        }
    }

    @Test("A stale entry that varies on Accept serves only requests with the same Accept")
    func staleVariant() async throws {
        let bench = try bench()
        var freshness = HTTPFreshness(receivedAt: Date())
        (freshness.variance, freshness.accept) = (.accept, "image/png")
        let key = TierKey(cacheKey: url.cacheKey)
        tier.entries[key] = TierEntry(
            data: try TestImages.png, validators: TierEntry.validators(freshness))
        tier.staleKeys = [key]
        for (accept, isOwn) in [("image/png", true), ("image/webp", false)] {
            bench.cache.clearMemoryCache()
            let modifier = AnyModifier.setting("Accept", to: accept)
            let options: KingfisherOptionsInfo = [
                .httpCaching, .requestModifier(modifier), .cacheMemoryOnly,
            ]
            let result = try await bench.retrieve(url, options).get()
            #expect(result.cacheType == (isOwn ? .disk : .none))
        }
        #expect(bench.stub.requests.count == 1)
    }
}
