public import FlyingFox
import Foundation
public import Kingfisher

/// Answers `GET /thumbnail` with pictures made small, from a cache that several of these servers may share.
///
/// Equal requests at the same time share a download and a decoding. A picture with transparency
/// becomes PNG, any other JPEG.
public struct ThumbnailHandler: HTTPHandler {
    private let manager: KingfisherManager

    public init(manager: KingfisherManager) {
        self.manager = manager
    }

    public func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let wanted = ThumbnailRequest(query: request.query.map { ($0.name, $0.value) }) else {
            let example = "/thumbnail?url=https://example.com/photo.jpg&width=300&height=200"
            return .text(.badRequest, "Ask for \(example), sides up to \(ThumbnailRequest.longestSide).\n")
        }
        do {
            let picture = try await manager.retrieveImage(
                with: .network(wanted.source),
                options: [.processor(DownsamplingImageProcessor(size: wanted.size))]
            ).image
            return .thumbnail(picture)
        } catch let error as KingfisherError {
            return .text(error.status, error.localizedDescription + "\n")
        }
    }
}

extension HTTPResponse {
    fileprivate static func thumbnail(_ picture: KFCrossPlatformImage) -> HTTPResponse {
        let isOpaque = picture.pixels?.format.isOpaque ?? true
        let bytes =
            isOpaque
            ? picture.kf.jpegRepresentation(compressionQuality: 0.85) : picture.kf.pngRepresentation()
        guard let bytes else { return .text(.internalServerError, "The thumbnail could not be written.\n") }
        return HTTPResponse(
            statusCode: .ok,
            headers: [
                .contentType: isOpaque ? "image/jpeg" : "image/png",
                HTTPHeader("Cache-Control"): "public, max-age=86400",
            ],
            body: bytes)
    }

    fileprivate static func text(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
        HTTPResponse(
            statusCode: status, headers: [.contentType: "text/plain; charset=utf-8"], body: Data(text.utf8))
    }
}

extension KingfisherError {
    /// How a gateway says what went wrong behind it (RFC 9110, section 15.6).
    fileprivate var status: HTTPStatusCode {
        switch self {
        case .responseError(reason: .invalidHTTPStatusCode(let response)) where response.statusCode == 404:
            .notFound
        case .processorError: .unsupportedMediaType
        default: .badGateway
        }
    }
}
