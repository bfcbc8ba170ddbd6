import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Requests with `.httpFreshnessBounds`, and the freshness and tags of encoded images.
@Suite struct FreshnessBoundsTests {
    @Test func `Without information, an image is fresh for the default lifetime`() async throws {
        let rig = try FreshnessRig(nil)
        let bounds = KingfisherOptionsInfoItem.httpFreshnessBounds(HTTPFreshnessBounds(defaultLifetime: 60))
        try await rig.expect(.none, requests: 1, [bounds])
        try await rig.expect(.memory, requests: 0, [bounds])
        // A request without bounds has to ask.
        try await rig.expect(.memory, requests: 1)
        rig.clock.advance(by: 61)
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 1, [bounds])
    }

    @Test func `A minimum lifetime overrides no-cache, in memory and on disk`() async throws {
        let rig = try FreshnessRig("no-cache")
        let bounds = KingfisherOptionsInfoItem.httpFreshnessBounds(HTTPFreshnessBounds(minimumLifetime: 60))
        try await rig.expect(.none, requests: 1, [bounds])
        try await rig.expect(.memory, requests: 0, [bounds])
        rig.cache.clearMemoryCache()
        try await rig.expect(.disk, requests: 0, [bounds])
        try await rig.expect(.memory, requests: 1)
    }

    @Test func `no-store is stored only if the bounds say so, and used only by such requests`() async throws {
        let rig = try FreshnessRig("no-store, max-age=60")
        let bounds = KingfisherOptionsInfoItem.httpFreshnessBounds(HTTPFreshnessBounds(obeysNoStore: false))
        try await rig.expect(.none, requests: 1)
        try await rig.expect(.none, requests: 1, [bounds])
        try await rig.expect(.memory, requests: 0, [bounds])
        // This one removes it.
        try await rig.expect(.none, requests: 1)
        try await rig.expect(.none, requests: 1, [bounds])
    }

    @Test func `An encoded image has the age, the lifetime and the date of its source`() async throws {
        let rig = try FreshnessRig("max-age=60")
        rig.serve { $0.fields.append(("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")) }
        func retrieve(_ options: KingfisherOptionsInfo = []) async throws -> RetrieveDataResult {
            try await rig.manager.retrieveData(
                with: .network(rig.url), options: [.httpCaching, .waitForCache] + options)
        }
        let loaded = try await retrieve()
        let date = Date(timeIntervalSince1970: 784_111_777)
        #expect(loaded.freshness == SourceFreshness(age: 0, lifetime: 60, lastModified: date))
        rig.clock.advance(by: 20)
        let cached = try await retrieve()
        #expect(cached.cacheType == .memory)
        #expect(cached.freshness == SourceFreshness(age: 20, lifetime: 60, lastModified: date))
        #expect(cached.freshness?.remaining == 40)
        rig.cache.encodedStorage.removeAll()
        let read = try await retrieve([
            .httpFreshnessBounds(HTTPFreshnessBounds(minimumLifetime: 100))
        ])
        #expect(read.cacheType == .disk)
        #expect(read.freshness == SourceFreshness(age: 20, lifetime: 100, lastModified: date))
        let plain = try await Bench().manager.retrieveData(with: .network(Bench.freshURL()))
        #expect(plain.freshness == nil)
    }

    @Test func `Equal bytes have equal tags, from memory, disk and an open file`() async throws {
        let bench = try Bench()
        let source = Source.network(bench.url)
        let options: KingfisherOptionsInfo = [.waitForCache]
        let loaded = try await bench.manager.retrieveData(with: source, options: options)
        let cached = try await bench.manager.retrieveData(with: source, options: options)
        let file = try await bench.manager.retrieveFile(with: source, options: options)
        #expect(loaded.cacheType == .none && cached.cacheType == .memory)
        #expect(loaded.entityTag == file.entityTag && cached.entityTag == file.entityTag)
        #expect(loaded.entityTag.hasPrefix("\"") && loaded.entityTag.hasSuffix("\""))
        let other = RetrieveDataResult(
            data: loaded.data + [0], cacheType: .none, source: source, originalSource: source)
        #expect(other.entityTag != loaded.entityTag)
    }

    @Test func `Bytes in memory are served as a file is`() async throws {
        let bench = try Bench()
        let file = try await bench.manager.retrieveFile(with: .network(bench.url))
        let tag = try #require(file.entityTag)
        let rows: [(String, [String: String])] = [
            ("GET", [:]), ("HEAD", [:]), ("GET", ["If-None-Match": tag]), ("HEAD", ["If-None-Match": "*"]),
            ("GET", ["Range": "bytes=1-3"]), ("HEAD", ["Range": "bytes=1-3"]),
            ("GET", ["Range": "bytes=999999-"]), ("GET", ["Range": "bytes=0-1", "If-Range": "\"x\""]),
        ]
        for (method, fields) in rows {
            let bytes = CachedFileResponse(
                byteCount: file.byteCount, entityTag: tag, mediaType: file.mediaType, method: method
            ) { fields[$0] }
            #expect(bytes == file.response(to: method) { fields[$0] })
        }
    }
}
