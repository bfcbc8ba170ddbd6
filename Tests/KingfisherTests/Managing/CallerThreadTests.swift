import Foundation
import Kingfisher
import Testing

/// Decoding, disk and network access never run on the calling thread. The calling thread is blocked during
/// the request, so that it cannot also serve as a worker.
@Suite struct CallerThreadTests {
    @Test("A download is not decoded or stored on the calling thread", arguments: Caller.allCases)
    func download(caller: Caller) async throws {
        let rig = try ThreadRig()
        let seen = try await rig.request(from: caller, [.waitForCache])
        #expect(seen.succeeded)
        #expect(!seen.decoding.isEmpty && !seen.disk.isEmpty && !seen.network.isEmpty)
        #expect(!(seen.decoding + seen.disk + seen.network).contains(seen.caller))
    }

    @Test("A download that skips the caches does not run on the calling thread", arguments: Caller.allCases)
    func refresh(caller: Caller) async throws {
        let rig = try ThreadRig()
        let seen = try await rig.request(from: caller, [.forceRefresh, .waitForCache])
        #expect(seen.succeeded)
        #expect(!(seen.decoding + seen.disk + seen.network).contains(seen.caller))
    }

    @Test("An image from disk is not read on the calling thread", arguments: Caller.allCases)
    func diskHit(caller: Caller) async throws {
        let rig = try ThreadRig()
        try await rig.cache.storeToDisk(rig.codec.file, forKey: rig.url.cacheKey)
        let seen = try await rig.request(from: caller, [.onlyFromCache])
        #expect(seen.succeeded)
        #expect(!seen.decoding.isEmpty && !seen.disk.isEmpty && seen.network.isEmpty)
        #expect(!(seen.decoding + seen.disk).contains(seen.caller))
    }

    @Test("A cached original is not processed on the calling thread", arguments: Caller.allCases)
    func original(caller: Caller) async throws {
        let rig = try ThreadRig()
        try await rig.cache.storeToDisk(rig.codec.file, forKey: rig.url.cacheKey)
        let seen = try await rig.request(
            from: caller, [.processor(CountingProcessor("p")), .onlyFromCache, .waitForCache])
        #expect(seen.succeeded)
        #expect(!seen.decoding.isEmpty)
        #expect(!(seen.decoding + seen.disk).contains(seen.caller))
    }

    @Test("A provider's image is not decoded on the calling thread", arguments: Caller.allCases)
    func provider(caller: Caller) async throws {
        let rig = try ThreadRig()
        let source = Source.provider(RawImageDataProvider(data: rig.codec.file, cacheKey: "raw"))
        let seen = try await rig.request(from: caller, [.waitForCache], source)
        #expect(seen.succeeded)
        #expect(!seen.decoding.isEmpty && !seen.disk.isEmpty)
        #expect(!(seen.decoding + seen.disk).contains(seen.caller))
    }

    @Test("A memory hit accesses no disk and decodes nothing", arguments: Caller.allCases)
    func memoryHit(caller: Caller) async throws {
        let rig = try ThreadRig()
        _ = try await rig.request(from: caller, [.waitForCache])
        await rig.settle()
        let seen = try await rig.request(from: caller, [])
        #expect(seen.succeeded)
        #expect((seen.decoding + seen.disk + seen.network).isEmpty)
    }
}
