import Foundation
import KingfisherTestSupport
import KingfisherTransport
import TestHelpers
import Testing

@testable import Kingfisher

/// Servers that cannot be reached, and the use of stale images.
@Suite struct StaleImageTests {
    @Test("With the server down, the stale image is the result", arguments: [CacheType.memory, .disk])
    func offline(type: CacheType) async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        if type == .disk { rig.cache.clearMemoryCache() }
        rig.server.stop()
        let delegate = RecordingDelegate()
        rig.downloader.delegate = delegate
        for (number, type) in [type, .memory].enumerated() {
            #expect(try await rig.retrieve().get().cacheType == type)
            #expect(delegate.events.values.count { $0 == .willDownload(rig.url) } == number + 1)
        }
    }

    @Test(
        "With the server down, a stale image is not used if its server forbids that",
        arguments: ["no-cache", "max-age=60, must-revalidate"])
    func forbidden(field: String) async throws {
        let rig = try FreshnessRig(field)
        try await rig.loadAndAge()
        rig.server.stop()
        #expect(reason(try await rig.retrieve()) == "URLSessionError")
        #expect(rig.cache.isCached(forKey: rig.key))
    }

    @Test("A stale image is not used if it may not match the request", arguments: ["Cookie", "Accept"])
    func offlineVariant(field: String) async throws {
        let rig = try FreshnessRig("max-age=60, stale-if-error=100")
        rig.serve { $0.fields += [("Vary", field)] }
        try await rig.loadAndAge()
        rig.serve { $0.status = 503 }
        let accept = AnyModifier { request in
            var request = request
            request.setValue("image/x-other", forHTTPHeaderField: "Accept")
            return request
        }
        for options in [[], [.onlyFromCache]] as [KingfisherOptionsInfo] {
            let other = try await rig.retrieve(options + [.requestModifier(accept)])
            #expect((try? other.get()) == nil)
            let same = try await rig.retrieve(options)
            #expect(((try? same.get()) != nil) == (field == "Accept"))
        }
    }

    @Test("A truncated response leaves the stale image as the result")
    func truncated() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let server = try LoopbackServer { _ in .partial(Data(count: 10), of: 100, then: .reset) }
        defer { server.stop() }
        let modifier = AnyModifier { request in
            var request = request
            request.url = server.url("/1.png")
            return request
        }
        try await rig.expect(.memory, requests: 0, [.requestModifier(modifier)])
        #expect(server.requestCount() == 1)
    }

    @Test("A server error is replaced by the stale image only as long as stale-if-error allows")
    func serverErrors() async throws {
        for (field, status, isShown) in [
            ("max-age=60", 503, false), ("max-age=60, stale-if-error=100", 503, true),
            ("max-age=60, stale-if-error=100", 500, true), ("max-age=60, stale-if-error=100", 403, false),
            ("max-age=60, stale-if-error=1", 503, false),
        ] {
            let rig = try FreshnessRig(field)
            try await rig.loadAndAge()
            rig.serve { $0.status = status }
            let result = try await rig.retrieve()
            #expect((try? result.get().cacheType) == (isShown ? .memory : nil), "\(field) \(status)")
            #expect(rig.server.requestCount() == 2)
            #expect(rig.cache.isCached(forKey: rig.key))
        }
    }

    @Test("A missing image is an error and is removed from the caches", arguments: [404, 410])
    func missing(status: Int) async throws {
        let rig = try FreshnessRig("max-age=60, stale-if-error=100")
        try await rig.loadAndAge()
        rig.serve { $0.status = status }
        #expect(try await rig.retrieve().failure?.isInvalidResponseStatusCode(status) == true)
        try await rig.cache.settle()
        #expect(rig.cache.imageCachedType(forKey: rig.key) == .none)
    }

    @Test("onlyFromCache uses a stale image without a request, unless its server forbids that")
    func onlyFromCache() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        try await rig.expect(.memory, requests: 0, [.onlyFromCache])
        let strict = try FreshnessRig("no-cache")
        try await strict.loadAndAge()
        #expect(reason(try await strict.retrieve([.onlyFromCache])) == "imageNotExisting")
        #expect(strict.server.requestCount() == 1)
    }

    @Test("stale-while-revalidate delivers the old image immediately and once, and renews the caches")
    func whileRevalidate() async throws {
        let rig = try FreshnessRig("max-age=60, stale-while-revalidate=30")
        try await rig.loadAndAge()
        let (gate, types) = (ServerGate(), Locked<[CacheType]>([]))
        let key = rig.key
        try rig.serveAnother()
        rig.serve { $0.gate = gate }
        for _ in 0..<3 {
            let task = rig.manager.retrieveImage(
                with: rig.url, options: [.httpCaching, .callbackQueue(.untouch)]
            ) { result in types.withLock { $0 += [(try? result.get().cacheType) ?? .none] } }
            #expect(task == nil)
        }
        #expect(types.withLock { $0 } == [.memory, .memory, .memory])
        #expect(await poll { gate.arrived == 1 })
        gate.release()
        rig.serve { $0.gate = nil }
        // All three renewals have stored their image, and the file is written.
        #expect(await poll { rig.cache.traffic.count == 0 })
        #expect(rig.cache.retrieveImageInMemoryCache(forKey: key)?.size != TestImages.pngSize)
        #expect(rig.server.requestCount() == 2)
        #expect(types.withLock { $0.count } == 3)
        rig.cache.clearMemoryCache()
        #expect(try await rig.expect(.disk, requests: 0).size != TestImages.pngSize)
    }

    @Test("stale-while-revalidate from disk: a 304 renews the image, a failure changes nothing")
    func whileRevalidateFromDisk() async throws {
        let rig = try FreshnessRig("max-age=60, stale-while-revalidate=30")
        try await rig.loadAndAge()
        rig.cache.clearMemoryCache()
        rig.serve { $0.status = 404 }
        _ = try await rig.retrieve().get()
        let key = rig.key
        // A 404 in the background also removes the image.
        #expect(await poll { !rig.cache.isCached(forKey: key) })
        rig.serve { $0.status = nil }
        try await rig.loadAndAge()
        rig.cache.clearMemoryCache()
        rig.serve { $0.status = 503 }
        #expect(try await rig.retrieve().get().cacheType == .disk)
        #expect(await rig.server.wait { $0.requestCount() == 4 })
        rig.serve { $0.status = nil }
        let now = rig.clock.now
        #expect(
            await poll {
                _ = rig.manager.retrieveImage(with: rig.url, options: [.httpCaching], completionHandler: nil)
                let image = rig.cache.retrieveImageInMemoryCache(forKey: key)
                return image.flatMap { rig.cache.notes.freshness(of: $0, forKey: key) }?.receivedAt == now
            })
    }
}
