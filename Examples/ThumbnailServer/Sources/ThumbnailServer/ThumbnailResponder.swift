import CoreMetrics
import Foundation
public import Hummingbird
public import Kingfisher
import NIOCore

/// The data of a request, with the event loop of its connection.
public struct ThumbnailContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    let eventLoop: any EventLoop

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        eventLoop = source.channel.eventLoop
    }
}

/// Serves `GET /thumbnail` with thumbnails of images on other servers.
///
/// Simultaneous equal requests share a download, a decode and an encode; the load is cancelled when all their
/// clients have disconnected. Encoded thumbnails are cached in memory, on disk and in the manager's tiers.
public struct ThumbnailResponder: HTTPResponder {
    /// The maximum size of a request's path and query in bytes.
    static let longestPath = 4_096

    private let manager: KingfisherManager
    /// Has the caches of `manager`, but no tiers: a lookup that reads them may get a lease, and would release
    /// it before the image is made.
    private let local: KingfisherManager
    private let metrics: TextMetrics?

    /// - Parameters:
    ///   - manager: loads the images. Its tiers must be set before.
    ///   - metrics: counts responses, and is served at `/metrics`; nil to do neither.
    public init(manager: KingfisherManager, metrics: TextMetrics? = nil) {
        self.manager = manager
        self.metrics = metrics
        local = KingfisherManager(downloader: manager.downloader, cache: manager.cache)
        local.defaultOptions = manager.defaultOptions
    }

    public func respond(to request: Request, context: ThumbnailContext) async throws -> Response {
        guard request.headers[.contentLength] ?? "0" == "0", request.headers[.transferEncoding] == nil else {
            return try await finalResponse(to: request) {
                .text(.contentTooLarge, "The request must not have a body.")
            }
        }
        guard request.uri.string.utf8.count <= Self.longestPath else {
            return .text(.uriTooLong, "The path and query must not exceed \(Self.longestPath) bytes.")
        }
        if let metrics, request.uri.path == "/metrics" { return .text(.ok, metrics.text) }
        guard request.uri.path == "/thumbnail" else {
            return .text(.notFound, "Unknown path. Use /thumbnail.")
        }
        guard request.method == .get else {
            return .text(.methodNotAllowed, "Unsupported method. Use GET.", [.allow: "GET"])
        }
        let query = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        guard let wanted = ThumbnailRequest(query: query) else {
            let example = "/thumbnail?url=https://example.com/photo.jpg&width=300&height=200"
            return .text(
                .badRequest,
                "A parameter is missing or invalid. Example: \(example); "
                    + "width and height must be 1 to \(ThumbnailRequest.longestSide).")
        }
        if let known = try? await thumbnail(wanted, by: local, [.onlyFromCache]) {
            count(known.cacheType == .memory ? "memory" : "disk")
            return .thumbnail(known, on: context.eventLoop)
        }
        return try await finalResponse(to: request) {
            do {
                let made = try await thumbnail(wanted, by: manager)
                count(made.cacheType.cached ? "shared" : "source")
                return .thumbnail(made, on: context.eventLoop)
            } catch let error as KingfisherError {
                count("failed")
                return .failure(error)
            }
        }
    }

    /// Counts a response by where its thumbnail came from.
    private func count(_ origin: String) {
        guard let metrics else { return }
        Counter(label: "thumbnail_server.responses", dimensions: [("from", origin)], factory: metrics)
            .increment()
    }

    /// Makes the last response of a connection, and cancels it if the client disconnects. The connection
    /// closes because Hummingbird reads it to its end to notice a disconnect.
    private func finalResponse(
        to request: Request, _ make: () async throws -> Response
    ) async throws -> Response {
        var response = try await request.body.consumeWithCancellationOnInboundClose { _ in try await make() }
        response.headers[.connection] = "close"
        return response
    }

    private func thumbnail(
        _ wanted: ThumbnailRequest, by manager: KingfisherManager, _ options: KingfisherOptionsInfo = []
    ) async throws -> RetrieveDataResult {
        try await manager.retrieveData(
            with: .network(wanted.source),
            options: options + [
                .processor(DownsamplingImageProcessor(size: wanted.size)),
                .cacheSerializer(ThumbnailSerializer()),
            ])
    }
}
