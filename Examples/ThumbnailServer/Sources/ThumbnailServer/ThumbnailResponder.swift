import Foundation
public import Hummingbird
public import Kingfisher

/// Answers `GET /thumbnail` with thumbnails of images on other servers.
///
/// Equal requests at the same time share a download and a decode, and the load ends when all of their clients
/// have disconnected. Encoded thumbnails are kept in memory, originals and thumbnails on disk.
public struct ThumbnailResponder: HTTPResponder {
    /// Bytes of a request's path and query, at most.
    static let longestPath = 4_096

    private let manager: KingfisherManager
    private let thumbnails: MemoryStorage.Backend<Thumbnail>

    /// - Parameters:
    ///   - manager: Loads the images.
    ///   - memoryLimit: Bytes of encoded thumbnails that are kept in memory, at most.
    public init(manager: KingfisherManager, memoryLimit: Int) {
        self.manager = manager
        thumbnails = MemoryStorage.Backend(config: MemoryStorage.Config(totalCostLimit: memoryLimit))
    }

    public func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard request.headers[.contentLength] ?? "0" == "0", request.headers[.transferEncoding] == nil else {
            return try await finalResponse(to: request) { .text(.contentTooLarge, "Send no body.") }
        }
        guard request.uri.string.utf8.count <= Self.longestPath else {
            return .text(.uriTooLong, "At most \(Self.longestPath) bytes of path and query.")
        }
        guard request.uri.path == "/thumbnail" else { return .text(.notFound, "Only /thumbnail is here.") }
        guard request.method == .get else { return .text(.methodNotAllowed, "Use GET.", [.allow: "GET"]) }
        let query = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        guard let wanted = ThumbnailRequest(query: query) else {
            let example = "/thumbnail?url=https://example.com/photo.jpg&width=300&height=200"
            return .text(.badRequest, "Try \(example), sides up to \(ThumbnailRequest.longestSide).")
        }
        if let known = thumbnails.value(forKey: wanted.cacheKey) { return .thumbnail(known) }
        return try await finalResponse(to: request) {
            do {
                return .thumbnail(try await load(wanted))
            } catch let error as KingfisherError {
                return .failure(error)
            }
        }
    }

    /// Makes a response, which is cancelled when the client disconnects. It is the connection's last: to
    /// notice a disconnect, Hummingbird reads to the end.
    private func finalResponse(
        to request: Request, _ make: () async throws -> Response
    ) async throws -> Response {
        var response = try await request.body.consumeWithCancellationOnInboundClose { _ in try await make() }
        response.headers[.connection] = "close"
        return response
    }

    private func load(_ wanted: ThumbnailRequest) async throws -> Thumbnail {
        let options: KingfisherOptionsInfo = [
            .processor(DownsamplingImageProcessor(size: wanted.size)),
            // The encoded thumbnail is kept, so its pixels need not be.
            .memoryCacheExpiration(.expired),
        ]
        let result = try await manager.retrieveImage(with: .network(wanted.source), options: options)
        guard let thumbnail = Thumbnail(result.image) else {
            throw HTTPError(.internalServerError, message: "The thumbnail could not be encoded.")
        }
        thumbnails.store(value: thumbnail, forKey: wanted.cacheKey)
        return thumbnail
    }
}
