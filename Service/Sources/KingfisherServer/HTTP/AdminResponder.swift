import HTTPTypes
import Hummingbird
import KingfisherService
import NIOCore

/// Responds to operators: metrics, health, readiness and purges. Never waits for images.
struct AdminResponder: HTTPResponder {
    let state: ServerState
    let registry: MetricsRegistry
    let purges: PurgeResponder?

    func respond(to request: Request, context _: ServerContext) async throws -> Response {
        await response(to: request).responding(to: request.method)
    }

    private func response(to request: Request) async -> Response {
        switch request.uri.path {
        case "/purge":
            guard let purges else { return .line(.notFound, "Purges need the setting purge-token-file.") }
            return await purges.respond(to: request)
        case _ where ![.get, .head].contains(request.method):
            var response = Response.line(.methodNotAllowed, "Use GET.")
            response.headers[.allow] = "GET, HEAD"
            return response
        case "/health": return .line(.ok, "ok")
        case "/ready": return state.readiness
        case "/metrics":
            let format = MetricsFormat(accept: AcceptHeader(request.headers[values: .accept]))
            return Response(
                status: .ok, headers: [.contentType: format.mediaType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: registry.text(format))))
        default: return .line(.notFound, "Not found.")
        }
    }
}
