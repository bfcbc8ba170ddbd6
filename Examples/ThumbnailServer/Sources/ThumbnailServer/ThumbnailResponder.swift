import Foundation
public import Hummingbird
public import Kingfisher

/// Serves `GET /thumbnail` with thumbnails of images on other servers.
///
/// Simultaneous equal requests share a download, a decode and an encode; the load is cancelled when all their
/// clients have disconnected. Encoded thumbnails are cached in memory and on disk.
public struct ThumbnailResponder: HTTPResponder {
    /// The maximum size of a request's path and query in bytes.
    static let longestPath = 4_096

    private let manager: KingfisherManager

    /// - Parameter manager: loads the images.
    public init(manager: KingfisherManager) {
        self.manager = manager
    }

    public func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard request.headers[.contentLength] ?? "0" == "0", request.headers[.transferEncoding] == nil else {
            return try await finalResponse(to: request) {
                .text(.contentTooLarge, "The request must not have a body.")
            }
        }
        guard request.uri.string.utf8.count <= Self.longestPath else {
            return .text(.uriTooLong, "The path and query must not exceed \(Self.longestPath) bytes.")
        }
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
        if let known = try? await thumbnail(wanted, [.onlyFromCache]) { return known }
        return try await finalResponse(to: request) {
            do {
                return try await thumbnail(wanted)
            } catch let error as KingfisherError {
                return .failure(error)
            }
        }
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
