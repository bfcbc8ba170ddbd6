import Foundation
import Hummingbird
import Kingfisher
import NIOCore

extension Response {
    static func thumbnail(_ thumbnail: RetrieveDataResult, on eventLoop: any EventLoop) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: thumbnail.mediaType ?? "application/octet-stream",
                // The image may have been fetched with the client's password, or be private by its own field.
                .cacheControl: "private, max-age=86400",
            ],
            body: ResponseBody(thumbnail.data, on: eventLoop))
    }

    /// A line of text with a final newline.
    static func text(_ status: HTTPResponse.Status, _ line: String, _ headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "text/plain; charset=utf-8"
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: line + "\n")))
    }

    /// The response for a failed load, with the status of a gateway (RFC 9110, section 15.6). If memory is
    /// exhausted, it has a `Retry-After` header. A known failure has the status of the first one.
    static func failure(_ error: KingfisherError) -> Response {
        if case .resourceError(.overloaded(let seconds)) = error {
            return .text(
                .serviceUnavailable, error.localizedDescription, [.retryAfter: "\(Int(seconds.rounded(.up)))"]
            )
        }
        let status: HTTPResponse.Status =
            switch error {
            case .requestError(.emptyRequest), .requestError(.invalidURL): .badRequest
            case .responseError(.invalidHTTPStatusCode(let response)):
                [404, 410].contains(response.statusCode) ? .notFound : .badGateway
            case .responseError(.URLSessionError(let cause)): failureStatus((cause as? URLError)?.code)
            // Not an image, a corrupt image, or one that exceeds `ImageLimits`.
            case .processorError, .resourceError(.knownFailure(nil, _)): .unprocessableContent
            case .resourceError(.knownFailure): .notFound
            case .resourceError(.memoryBudgetExceeded): .contentTooLarge
            case .resourceError(.tooSlow): .gatewayTimeout
            default: .badGateway
            }
        return .text(status, error.localizedDescription)
    }

    private static func failureStatus(_ code: URLError.Code?) -> HTTPResponse.Status {
        switch code {
        case .timedOut: .gatewayTimeout
        case .dataLengthExceedsMaximum: .contentTooLarge
        default: .badGateway
        }
    }
}

extension ResponseBody {
    /// The maximum size of a piece in bytes.
    private static let pieceSize = 64 << 10

    /// Writes data in pieces, each when the client has taken most of the previous one. So a client that does
    /// not read holds a piece in memory instead of a copy of the data, which the memory cache shares.
    fileprivate init(_ data: Data, on eventLoop: any EventLoop) {
        guard data.count > Self.pieceSize else {
            self.init(byteBuffer: ByteBuffer(bytes: data))
            return
        }
        self.init(contentLength: data.count) { writer in
            for start in stride(from: 0, to: data.count, by: Self.pieceSize) {
                try await writer.write(ByteBuffer(bytes: data.dropFirst(start).prefix(Self.pieceSize)))
                // The next write waits for the client only if the event loop has performed this one.
                try await eventLoop.submit {}.get()
            }
            try await writer.finish(nil)
        }
    }
}
