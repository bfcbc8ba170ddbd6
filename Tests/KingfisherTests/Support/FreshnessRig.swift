import Foundation
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// A server with one image at every path, and a manager whose cache has a manual clock.
final class FreshnessRig: Sendable {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    /// The image and the headers of the server.
    struct Served: Sendable {
        var body: Data
        var tag: String? = "\"1\""
        /// The entity tag in a 304 response, if it differs.
        var confirmedTag: String?
        var fields: [(String, String)] = []
        /// Replaces the status 200 or 304.
        var status: Int?
        var location: String?
        var redirect = (status: 302, fields: [(String, String)]())
        var gate: ServerGate?
        /// Holds the bodies of complete images after the head.
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

    func serve(_ change: (inout Served) -> Void) {
        served.withLock { change(&$0) }
    }

    /// Replaces the image on the server.
    func serveAnother() throws {
        let jpeg = try TestImages.jpeg
        serve { ($0.body, $0.tag) = (jpeg, "\"2\"") }
    }

    var key: String { url.cacheKey }

    /// Waits until no request can join a transfer. The manual clock may advance a minute before that.
    func settle() async {
        let downloader = downloader
        _ = await poll { downloader.transfers.withLock(\.isEmpty) }
    }

    /// Retrieves the image and waits for the transfer to end.
    func retrieve(_ options: KingfisherOptionsInfo = []) async throws -> Outcome {
        let result: Outcome = try await outcome {
            manager.retrieveImage(
                with: url, options: [.httpCaching, .waitForCache] + options, completionHandler: $0)
        }
        await settle()
        return result
    }

    /// Expects the image from `type`, and `requests` requests to the server.
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

    /// Loads the image and advances the clock by a minute.
    func loadAndAge(_ options: KingfisherOptionsInfo = []) async throws {
        _ = try await retrieve(options).get()
        clock.advance(by: 61)
    }

    /// The record stored with the file.
    func records(_ key: String? = nil) throws -> [EntryRecord]? {
        try cache.diskStorage.entry(
            forKey: key ?? self.key, forcedExtension: nil, extendingExpiration: .none)?.records
    }

    /// The entity tags of all conditional requests.
    var askedTags: [String?] { server.requests.map { $0.header("If-None-Match") } }
}

extension FreshnessRig.Served {
    fileprivate func answer(to request: ServerRequest) -> ServerResponse {
        let fields = fields + (tag.map { [("ETag", $0)] } ?? [])
        let confirmedFields = self.fields + ((confirmedTag ?? tag).map { [("ETag", $0)] } ?? [])
        let response: ServerResponse =
            if let status {
                .status(status)
            } else if let location, request.target != location {
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
    /// Holds the response after its first step, the head.
    fileprivate func interrupted(by gate: ServerGate) -> ServerResponse {
        ServerResponse(steps.prefix(1) + [.hold(gate)] + steps.dropFirst())
    }
}
