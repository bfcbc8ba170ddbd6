public import Kingfisher

/// Makes the status and header fields of responses, from settings, requests and results.
///
/// Pure values: the same input gives the same fields in the same order.
public struct ServiceResponseRules: Sendable {
    private let settings: ServiceResponseSettings

    /// Creates rules with these settings.
    public init(_ settings: ServiceResponseSettings) { self.settings = settings }

    /// The response with a file, of which `file` decides the status (200, 206, 304 or 416) and the range.
    ///
    /// The entity tag of `file` is strong: a checksum of its bytes.
    public func response(
        _ file: CachedFileResponse, _ result: ServiceResult, _ context: ServiceResponseContext
    ) -> ServiceResponse {
        if file.status == 416 {
            return response(ServiceFailure(.range), context, file: file)
        }
        var fields = ResponseFields()
        for name in Self.fileFields { fields.add(name, file.headers[name]) }
        if file.status != 304 {
            fields.add("Last-Modified", lastModified(result, context))
            fields.add("Content-Disposition", disposition(context))
        }
        fields.add("Cache-Control", CacheControl(settings: settings, context: context).value(of: result))
        addShared(to: &fields, context, isStored: true)
        if result.kind == .fallback { fields.add("X-Kingfisher-Fallback", "1") }
        addFixed(to: &fields, context)
        return ServiceResponse(
            status: file.status, fields: fields.fields, body: file.status == 304 ? .none : .bytes(file.range))
    }

    /// The response to a request that failed.
    public func response(_ failure: ServiceFailure, _ context: ServiceResponseContext) -> ServiceResponse {
        response(failure, context, file: nil)
    }

    private func response(
        _ failure: ServiceFailure, _ context: ServiceResponseContext, file: CachedFileResponse?
    ) -> ServiceResponse {
        let status = failure.error.status
        let body = ErrorBody(failure.error, context, isDevelopment: settings.isDevelopment)
        let cacheControl = CacheControl(settings: settings, context: context).value(ofError: status)
        var fields = ResponseFields()
        fields.add("Content-Type", body.mediaType)
        for name in ["Content-Range", "Accept-Ranges"] { fields.add(name, file?.headers[name]) }
        fields.add("Cache-Control", cacheControl)
        addShared(to: &fields, context, isStored: cacheControl != "no-store")
        fields.add("Retry-After", failure.retryAfterSeconds(jitter: context.jitter).map(String.init))
        if status == 405 { fields.add("Allow", failure.allowedMethods.joined(separator: ", ")) }
        addFixed(to: &fields, context)
        return ServiceResponse(status: status, fields: fields.fields, body: .text(body.text))
    }

    private static let fileFields = ["Content-Type", "Content-Range", "Accept-Ranges", "ETag"]

    /// What results and errors of a URL have in common.
    private func addShared(
        to fields: inout ResponseFields, _ context: ServiceResponseContext, isStored: Bool
    ) {
        fields.add("Vary", vary(context))
        let tags = context.request?.options.tags.filter(HeaderText.isShortName) ?? []
        if isStored { fields.add("Surrogate-Key", tags.joined(separator: " ")) }
    }

    /// What every response has.
    private func addFixed(to fields: inout ResponseFields, _ context: ServiceResponseContext) {
        fields.add("X-Content-Type-Options", "nosniff")
        fields.add("Content-Security-Policy", "default-src 'none'; sandbox")
        fields.add("Cross-Origin-Resource-Policy", "cross-origin")
        fields.add("Access-Control-Allow-Origin", settings.allowedOrigin)
        fields.add("Timing-Allow-Origin", settings.timingAllowedOrigin)
        fields.add("X-Request-ID", context.requestID.flatMap { HeaderText.isShortName($0) ? $0 : nil })
        fields.add("Server-Timing", context.timing.field)
    }

    private func vary(_ context: ServiceResponseContext) -> String? {
        guard let request = context.request, request.kind == .image else { return nil }
        let names =
            (settings.negotiation.variesByAccept(request) ? ["Accept"] : [])
            + (request.options.usesHints ? ClientHints.fields : [])
        return names.joined(separator: ", ")
    }

    /// A server must not send a date in the future (RFC 9110, section 8.8.2.1).
    private func lastModified(_ result: ServiceResult, _ context: ServiceResponseContext) -> String? {
        guard result.kind != .fallback, let modified = result.lastModified else { return nil }
        return UTCTime(min(modified, context.now))?.httpDate
    }

    private func disposition(_ context: ServiceResponseContext) -> String? {
        guard let request = context.request, request.kind == .image else { return nil }
        let options = request.options
        return ContentDisposition(filename: options.filename, isAttachment: options.isAttachment).value
    }
}
