import Foundation
import HTTPTypes
import Hummingbird
import Kingfisher
import KingfisherService

/// Serves the images of signed URLs, with entity tags, ranges and content negotiation.
struct SignedImages: HTTPResponder {
    let urls: ServiceURLs
    let negotiation: FormatNegotiation
    let rules: ServiceResponseRules
    let manager: KingfisherManager

    func respond(to request: Request, context _: BasicRequestContext) async throws -> Response {
        var context = ServiceResponseContext(now: Int(Date().timeIntervalSince1970))
        context.accept = AcceptHeader(request.headers[values: .accept])
        do {
            let wanted = try urls.request(
                path: request.uri.path, query: request.uri.query, now: context.now)
            context.request = wanted
            let load = try ServiceLoad(wanted, accept: context.accept, negotiation)
            let result = try await manager.retrieveData(with: load.source, options: load.options)
            let file = CachedFileResponse(
                byteCount: result.data.count, entityTag: result.entityTag, mediaType: result.mediaType,
                method: request.method.rawValue
            ) { name in HTTPField.Name(name).flatMap { request.headers[$0] } }
            return Response(
                rules.response(file, ServiceResult(of: result), context), result.data, request.method)
        } catch {
            let failure = ServiceFailure(error, at: context.request?.source)
            return Response(rules.response(failure, context), Data(), request.method)
        }
    }
}

extension Response {
    fileprivate init(_ response: ServiceResponse, _ data: Data, _ method: HTTPRequest.Method) {
        let fields = response.fields.compactMap { field in
            HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
        }
        let bytes: ByteBuffer? =
            switch response.body {
            case .none: nil
            case .bytes(let range): ByteBuffer(bytes: data.dropFirst(range.lowerBound).prefix(range.count))
            case .text(let text): ByteBuffer(string: text)
            }
        let body = bytes.map { bytes in
            ResponseBody(contentLength: bytes.readableBytes) { writer in
                if method != .head { try await writer.write(bytes) }
                try await writer.finish(nil)
            }
        }
        self.init(
            status: .init(code: response.status), headers: HTTPFields(fields), body: body ?? ResponseBody())
    }
}
