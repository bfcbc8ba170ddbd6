import Foundation
import HTTPTypes
import Hummingbird
import KingfisherService
import NIOCore

/// Responds to `POST /purge` with a token: `{"url": …}`, `{"tag": …}` or `{"prefix": …}`.
struct PurgeResponder: Sendable {
    /// The maximum size of a body in bytes.
    static let maximumBody = 64 << 10

    private struct Order: Decodable {
        var url: String?
        var tag: String?
        var prefix: String?
    }

    let images: ServerImages
    let sources: ServiceSourceRules
    let token: String
    /// Gets the number of removed files.
    let didPurge: @Sendable (Int) -> Void

    func respond(to request: Request) async -> Response {
        guard request.method == .post else {
            var response = Response.line(.methodNotAllowed, "Use POST.")
            response.headers[.allow] = "POST"
            return response
        }
        guard isAuthorized(request) else {
            var response = Response.line(.unauthorized, "A purge needs the token.")
            response.headers[.wwwAuthenticate] = "Bearer"
            return response
        }
        do {
            let report = try await images.purge(try await selection(in: request))
            didPurge(report.originals + report.results)
            // What can be purged here is purged in any case.
            return try .json(report.shared == false ? .badGateway : .ok, report)
        } catch let error as ServiceError {
            return .line(.init(code: error.status), error.message)
        } catch {
            return .line(.internalServerError, "Some files could not be removed.")
        }
    }

    private func isAuthorized(_ request: Request) -> Bool {
        let expected = Array("Bearer \(token)".utf8)
        let received = Array((request.headers[.authorization] ?? "").utf8)
        guard received.count == expected.count else { return false }
        // All bytes are compared, so that the time does not tell how many are right.
        return zip(received, expected).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }

    private func selection(in request: Request) async throws -> PurgeSelection {
        let malformed = ServiceError(400, #"The body is {"url": …}, {"tag": …} or {"prefix": …}."#)
        guard let body = try? await request.body.collect(upTo: Self.maximumBody),
            let order = try? JSONDecoder().decode(Order.self, from: Data(body.readableBytesView))
        else { throw malformed }
        switch (order.url, order.tag, order.prefix) {
        case (let url?, nil, nil): return .source(try sources.source(named: url))
        case (nil, let tag?, nil):
            // A colon would be the tag of a source.
            guard !tag.isEmpty, !tag.contains(":") else { throw malformed }
            return .tag(tag)
        case (nil, nil, let prefix?):
            guard ["http://", "https://", "s3://"].contains(where: prefix.hasPrefix) else {
                throw ServiceError(400, "A prefix starts with http://, https:// or s3://.")
            }
            return .prefix(prefix)
        default: throw malformed
        }
    }
}

extension Response {
    /// A JSON object that no cache stores.
    static func json(_ status: HTTPResponse.Status, _ value: some Encodable) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(value) + Data("\n".utf8)
        return Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }
}
