import Foundation
import KingfisherStorage
import KingfisherTestSupport
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Requests that look into the cache again because an image has come there meanwhile.
@Suite struct SecondLookTests {
    private typealias Outcome = FreshnessRig.Outcome

    @Test(
        "An image in memory that has to be asked about, and another that is being written: one request, one answer",
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
        // The look at the disk waits for the lane; the one on this thread does not.
        if !onCallersThread { valve.open() }
        #expect(try await inbox.first().get().image === image)
        #expect(rig.askedTags == [nil, "\"1\""])
    }

    @Test(
        "A stale file while an image is being written that nobody has to be asked about: that is the answer")
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
