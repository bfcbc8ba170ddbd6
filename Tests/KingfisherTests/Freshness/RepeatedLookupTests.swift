import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Requests that check the cache again because an image was stored in the meantime.
@Suite struct RepeatedLookupTests {
    private typealias Outcome = FreshnessRig.Outcome

    @Test(
        "A stale image in memory and another that is being written: one request and one result",
        arguments: [false, true])
    func pendingAndStale(onCallersThread: Bool) async throws {
        let rig = try FreshnessRig("no-cache")
        let valve = Valve()
        defer { valve.open() }
        rig.cache.diskQueue.run(key: rig.key) { valve.pass() }
        rig.cache.store(try Image.blank(), forKey: rig.key) { _ in }
        let fetched: Outcome = try await outcome {
            rig.manager.retrieveImage(
                with: rig.url, options: [.httpCaching, .cacheMemoryOnly, .forceRefresh], completionHandler: $0
            )
        }
        let image = try fetched.get().image
        let options: KingfisherOptionsInfo =
            [.httpCaching] + (onCallersThread ? [.loadDiskFileSynchronously] : [])
        let inbox = Inbox<Outcome>()
        rig.manager.retrieveImage(with: rig.url, options: options) { inbox.put($0) }
        // The disk read waits for the key queue; the synchronous one does not.
        if !onCallersThread { valve.open() }
        #expect(try await inbox.first().get().image === image)
        #expect(rig.askedTags == [nil, "\"1\""])
    }

    @Test(
        "A pending image that needs no revalidation is delivered instead of a stale file")
    func pendingAndStaleFile() async throws {
        let rig = try FreshnessRig()
        try await rig.loadAndAge()
        let valve = Valve()
        defer { valve.open() }
        rig.cache.diskQueue.run(key: rig.key) { valve.pass() }
        let mine = try Image.blank()
        rig.cache.store(mine, forKey: rig.key) { _ in }
        rig.cache.clearMemoryCache()
        let result: Outcome = try await outcome {
            rig.manager.retrieveImage(
                with: rig.url, options: [.httpCaching, .loadDiskFileSynchronously], completionHandler: $0)
        }
        #expect(try result.get().image === mine)
        #expect(rig.server.requestCount() == 1)
    }
}
