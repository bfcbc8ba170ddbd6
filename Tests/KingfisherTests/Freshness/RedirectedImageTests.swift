import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import Testing

@testable import Kingfisher

/// Images behind redirects that are fresh for less than they are.
@Suite struct RedirectedImageTests {
    private typealias Outcome = FreshnessRig.Outcome

    @Test("RFC 5861: what a file says of its stale use is not said of the redirect that led there")
    func windows() async throws {
        let rig = try FreshnessRig(
            "max-age=31536000, stale-while-revalidate=86400, stale-if-error=86400")
        rig.serve { $0.location = "/a" }
        try await rig.expect(.none, requests: 2)
        rig.clock.advance(by: 100)
        try rig.serveAnother()
        rig.serve { $0.location = "/b" }
        // Asked first, and shown when it has come.
        try await rig.expect(.none, requests: 2)
        rig.serve { $0.status = 503 }
        await #expect(throws: KingfisherError.self) { try await rig.retrieve().get() }
        rig.server.stop()
        try await rig.expect(.memory, requests: 0)
    }

    @Test("Offline, a redirect with no-cache or no-store leads to nothing", arguments: ["cache", "store"])
    func offline(name: String) async throws {
        let rig = try FreshnessRig("max-age=200")
        rig.serve { ($0.location, $0.redirect.fields) = ("/a", [("Cache-Control", "no-\(name)")]) }
        try await rig.expect(.none, requests: 2)
        try await rig.expect(.memory, requests: 2)
        rig.server.stop()
        await #expect(throws: KingfisherError.self) { try await rig.retrieve().get() }
    }

    @Test(
        "A redirect that gets a lifetime limits the image by that from the next 304 on, from a file too",
        arguments: [false, true])
    func renewal(isFromFile: Bool) async throws {
        let rig = try FreshnessRig("max-age=200")
        rig.serve { $0.location = "/a" }
        try await rig.expect(.none, requests: 2)
        #expect(try rig.records()?.map(\.kind) == [.httpFreshness, .httpOwnDirectives])
        rig.serve { ($0.fields, $0.redirect.fields) = ([], [("Cache-Control", "max-age=60")]) }
        if isFromFile { rig.cache.clearMemoryCache() }
        try await rig.expect(isFromFile ? .disk : .memory, requests: 2)
        rig.clock.advance(by: 59)
        try await rig.expect(.memory, requests: 0)
        rig.clock.advance(by: 1)
        rig.serve {
            $0.redirect.status = 308; $0.redirect.fields = []
        }
        try await rig.expect(.memory, requests: 2)
        #expect(try rig.records()?.map(\.kind) == [.httpFreshness])
        rig.clock.advance(by: 199)
        try await rig.expect(.memory, requests: 0)
    }

    @Test("RFC 9111, 4.2.3: a redirect is as old as its answer was slow, and ages while it is decided about")
    func age() async throws {
        let rig = try FreshnessRig("max-age=500")
        rig.serve { ($0.location, $0.redirect.fields) = ("/a", [("Cache-Control", "max-age=100")]) }
        let (gate, inbox, clock) = (ServerGate(), Inbox<Outcome>(), rig.clock)
        rig.serve { $0.gate = gate }
        for number in 0..<6 {
            rig.manager.retrieveImage(with: rig.server.url("/other\(number)")) { _ in }
        }
        #expect(await poll { gate.arrived == 6 })
        let slow = AnyRedirectHandler { _, _, request, completion in
            clock.advance(by: 30)
            completion(request)
        }
        rig.manager.retrieveImage(
            with: rig.url, options: [.httpCaching, .waitForCache, .redirectHandler(slow)]
        ) { inbox.put($0) }
        let downloader = rig.downloader
        #expect(
            await poll {
                let transport = downloader.settings.withLock(\.transport)
                return (transport as? QueuedTransport)?.waitingTransfers == 1
            })
        // In our queue: that makes nothing older.
        clock.advance(by: 60)
        rig.serve { $0.gate = nil }
        gate.release()
        _ = try await inbox.first().get()
        await rig.settle()
        clock.advance(by: 69)
        try await rig.expect(.memory, requests: 0)
        clock.advance(by: 1)
        try await rig.expect(.memory, requests: 2)
    }
}
