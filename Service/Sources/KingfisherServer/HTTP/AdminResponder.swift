import HTTPTypes
import Hummingbird

/// Responds to operators: metrics, health, readiness and purges. Never waits for images.
struct AdminResponder: HTTPResponder {
    let state: ServerState
    let purges: PurgeResponder?
    /// The metrics for an `Accept` field.
    let metrics: @Sendable (_ accept: String) -> (text: String, mediaType: String)

    func respond(to request: Request, context _: ServerContext) async throws -> Response {
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
            let (text, mediaType) = metrics(request.headers[.accept] ?? "")
            var response = Response.line(.ok, text)
            response.headers[.contentType] = mediaType
            return response
        default: return .line(.notFound, "Not found.")
        }
    }
}
