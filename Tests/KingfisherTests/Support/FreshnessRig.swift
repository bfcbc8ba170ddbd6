import Foundation
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import Testing

@testable import Kingfisher

/// A server with one image under every path, and a manager whose cache has a clock that the test moves.
final class FreshnessRig: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    /// What the server has, and says about it.
    struct Served: Sendable {
        var body: Data
        var tag: String? = "\"1\""
        /// What a 304 names instead.
        var confirmedTag: String?
        var fields: [(String, String)] = []
        /// Instead of 200 or 304.
        var status: Int?
        var location: String?
        var redirect = (status: 302, fields: [(String, String)]())
        var gate: ServerGate?
        /// Where whole images stop after their head.
        var bodyGate: ServerGate?
    }

    let clock = ManualClock()
    let cache: ImageCache
    let downloader = ImageDownloader(name: "freshness")
    let manager: KingfisherManager
    let server: LoopbackServer
    let url: URL
    private let folder: TemporaryFolder
    private let served: Locked<Served>

    init(_ cacheControl: String? = "max-age=60") throws {
        let served = Locked(Served(body: try TestImages.png))
        if let cacheControl { served.withLock { $0.fields = [("Cache-Control", cacheControl)] } }
        self.served = served
        server = try LoopbackServer { request in
            served.withLock { $0 }.answer(to: request)
        }
        folder = try TemporaryFolder()
        cache = try ImageCache.make(in: folder, clock: clock)
        manager = KingfisherManager(downloader: downloader, cache: cache)
        url = server.url("/1.png")
    }

    /// Changes what the server has.
    func serve(_ change: (inout Served) -> Void) {
        served.withLock { change(&$0) }
    }

    /// Puts another image in the place of the first.
    func serveAnother() throws {
        let jpeg = try TestImages.jpeg
        serve { ($0.body, $0.tag) = (jpeg, "\"2\"") }
    }

    var key: String { url.cacheKey }

    /// Waits until nobody can join a transfer any more: with this clock a minute may be over before that.
    func settle() async {
        let downloader = downloader
        _ = await poll { downloader.transfers.withLock(\.isEmpty) }
    }

    /// Retrieves the image, and settles.
    func retrieve(_ options: KingfisherOptionsInfo = []) async throws -> Outcome {
        let result: Outcome = try await outcome {
            manager.retrieveImage(
                with: url, options: [.httpCaching, .waitForCache] + options, completionHandler: $0)
        }
        await settle()
        return result
    }

    /// The image, which `type` has; checks how many requests that took.
    @discardableResult
    func expect(
        _ type: CacheType, requests: Int, _ options: KingfisherOptionsInfo = [],
        at location: SourceLocation = #_sourceLocation
    ) async throws -> Image {
        let before = server.requestCount()
        let result = try await retrieve(options).get()
        #expect(result.cacheType == type, sourceLocation: location)
        #expect(server.requestCount() - before == requests, sourceLocation: location)
        return result.image
    }

    /// Loads the image, and lets a minute pass.
    func loadAndAge(_ options: KingfisherOptionsInfo = []) async throws {
        _ = try await retrieve(options).get()
        clock.advance(by: 61)
    }

    /// What travels with the file.
    func records(_ key: String? = nil) throws -> [EntryRecord]? {
        try cache.diskStorage.entry(
            forKey: key ?? self.key, forcedExtension: nil, extendingExpiration: .none)?.records
    }

    /// The tags that the server was asked about.
    var askedTags: [String?] { server.requests.map { $0.header("If-None-Match") } }
}

extension FreshnessRig.Served {
    fileprivate func answer(to request: ServerRequest) -> ServerResponse {
        let fields = fields + (tag.map { [("ETag", $0)] } ?? [])
        let confirmedFields = self.fields + ((confirmedTag ?? tag).map { [("ETag", $0)] } ?? [])
        let response: ServerResponse =
            if let status {
                .status(status)
            } else if let location, request.path != location {
                .status(redirect.status, headers: redirect.fields + [("Location", location)])
            } else if tag != nil, request.header("If-None-Match") == tag {
                ServerResponse([.send(ServerResponse.head(304, headers: confirmedFields))])
            } else if let bodyGate {
                .ok(body, headers: fields).interrupted(by: bodyGate)
            } else {
                .ok(body, headers: fields)
            }
        return gate.map { response.held(by: $0) } ?? response
    }
}

extension ServerResponse {
    /// Stops after the first step, which is the head.
    fileprivate func interrupted(by gate: ServerGate) -> ServerResponse {
        ServerResponse(steps.prefix(1) + [.hold(gate)] + steps.dropFirst())
    }
}
