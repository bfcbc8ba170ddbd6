import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Revalidation of images whose key is computed by a rule, at another URL than the first one.
@Suite struct PresignedRevalidationTests {
    private let rig: FreshnessRig

    init() throws {
        rig = try FreshnessRig()
        rig.manager.cacheKeyRule = .presigned
    }

    /// Loads the image at a path, with the number of requests.
    private func load(_ path: String) async throws -> (from: CacheType, requests: Int) {
        let before = rig.server.requestCount()
        let result = try await rig.manager.retrieveImage(
            with: rig.server.url(path), options: [.httpCaching, .waitForCache])
        await rig.settle()
        return (result.cacheType, rig.server.requestCount() - before)
    }

    @Test(arguments: [true, false])
    func `An image is revalidated at a URL with another signature, with one request`(
        isInMemory: Bool
    ) async throws {
        for number in 1...3 {
            let expected: CacheType = number == 1 ? .none : isInMemory ? .memory : .disk
            let loaded = try await load("/1.png?w=2&X-Amz-Signature=\(number)")
            #expect(loaded.from == expected && loaded.requests == 1)
            rig.clock.advance(by: 61)
            if !isInMemory { rig.cache.clearMemoryCache() }
        }
        #expect(rig.askedTags == [nil, "\"1\"", "\"1\""])
    }

    @Test func `A 304 of a redirect's signed target confirms the image`() async throws {
        for number in 1...2 {
            rig.serve { $0.location = "/signed?X-Amz-Signature=\(number)" }
            #expect(try await load("/1.png") == (number == 1 ? CacheType.none : .memory, 2))
            rig.clock.advance(by: 61)
        }
    }

    @Test func `A 304 of another path confirms nothing, even if the key is the same`() async throws {
        rig.manager.cacheKeyRule = CacheKeyRule { _ in "one" }
        #expect(try await load("/1.png?a") == (.none, 1))
        rig.clock.advance(by: 61)
        #expect(try await load("/1.png?b") == (.memory, 1))
        rig.clock.advance(by: 61)
        #expect(try await load("/2.png?b") == (.none, 2))
    }
}
