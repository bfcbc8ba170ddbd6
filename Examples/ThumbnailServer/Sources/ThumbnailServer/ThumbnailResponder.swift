import Foundation
public import Hummingbird
public import Kingfisher

/// Answers `GET /thumbnail` with thumbnails of images on other servers.
///
/// Equal requests at the same time share a download, a decode and an encode, and the load ends when all of
/// their clients have disconnected. Thumbnails are kept as files, in memory and on disk.
public struct ThumbnailResponder: HTTPResponder {
    /// Bytes of a request's path and query, at most.
    static let longestPath = 4_096

    private let manager: KingfisherManager

    /// - Parameter manager: Loads the images.
    public init(manager: KingfisherManager) {
        self.manager = manager
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
        if let known = try? await thumbnail(wanted, [.onlyFromCache]) { return known }
        return try await finalResponse(to: request) {
            do {
                return try await thumbnail(wanted)
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

    private func thumbnail(
        _ wanted: ThumbnailRequest, _ options: KingfisherOptionsInfo = []
    ) async throws -> Response {
        let thumbnail = try await manager.retrieveData(
            with: .network(wanted.source),
            options: options + [
                .processor(DownsamplingImageProcessor(size: wanted.size)),
                .cacheSerializer(ThumbnailSerializer()),
            ])
        return .thumbnail(thumbnail)
    }
}
