import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Images behind redirects that are fresh for less time than the images.
@Suite struct RedirectedImageTests {
    private typealias Outcome = FreshnessRig.Outcome

    @Test("RFC 5861: stale windows of an image do not apply to the redirect to it")
    func windows() async throws {
        let rig = try FreshnessRig(
            "max-age=31536000, stale-while-revalidate=86400, stale-if-error=86400")
        rig.serve { $0.location = "/a" }
        try await rig.expect(.none, requests: 2)
        rig.clock.advance(by: 100)
        try rig.serveAnother()
        rig.serve { $0.location = "/b" }
        // Requested first, and shown after the response.
        try await rig.expect(.none, requests: 2)
        rig.serve { $0.status = 503 }
        await #expect(throws: KingfisherError.self) { try await rig.retrieve().get() }
        rig.server.stop()
        try await rig.expect(.memory, requests: 0)
    }

    @Test("Offline, a redirect with no-cache or no-store fails the request", arguments: ["cache", "store"])
    func offline(name: String) async throws {
        let rig = try FreshnessRig("max-age=200")
        rig.serve { ($0.location, $0.redirect.fields) = ("/a", [("Cache-Control", "no-\(name)")]) }
        try await rig.expect(.none, requests: 2)
        try await rig.expect(.memory, requests: 2)
        rig.server.stop()
        await #expect(throws: KingfisherError.self) { try await rig.retrieve().get() }
    }

    @Test(
        "A redirect that gets a lifetime limits the image from the next 304 on, also from disk",
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

    @Test("RFC 9111, 4.2.3: a redirect's age includes its response delay and the time of its handler")
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
                let transport = downloader.settings.withLock { $0.transport }
                return (transport as? QueuedTransport)?.waitingTransfers == 1
            })
        // Time in the transport's queue does not count as age.
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
