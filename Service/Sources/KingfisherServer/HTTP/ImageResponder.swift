import Foundation
import HTTPTypes
import Hummingbird
import Kingfisher
import KingfisherService
import NIOCore

/// Responds to the requests of clients: images of signed URLs, and health.
///
/// In this order: size of the head, signature, result in memory or on disk, rate of the client, and then the
/// core's budget and queue. Neither a hit nor health waits for anything.
struct ImageResponder: HTTPResponder {
    let settings: ServerSettings
    let urls: KnownURLs
    let images: ServerImages
    let rules: ServiceResponseRules
    let connections: Connections
    let limiter: RateLimiter?
    let clients: ClientAddresses
    let uploads: UploadBudget
    let state: ServerState
    let observers: RequestObservers
    let purges: PurgeResponder?
    let development: DevelopmentResponder?

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let observation = observers.begin(method: request.method.rawValue, request.headers)
        let exchange = Exchange(
            request, context, connections.connection(of: context.channel), observation.timer)
        let answer: Answer = await observation.run { await self.answer(exchange) }
        var record = answer.record
        let response = answer.response.responding(to: request.method)
        record.status = response.status.code
        record.bytes = response.body.contentLength ?? 0
        observation.end(record)
        return response
    }

    private struct Answer: Sendable {
        let response: Response
        let record: RequestRecord
    }

    private func answer(_ exchange: Exchange) async -> Answer {
        var record = RequestRecord(method: exchange.request.method.rawValue, status: 0)
        record.requestID = exchange.requestID
        let response = await response(to: exchange, &record)
        return Answer(response: response, record: record)
    }

    private func response(to exchange: Exchange, _ record: inout RequestRecord) async -> Response {
        let path = exchange.request.uri.path
        record.route = .admin
        if path == "/health" { return .line(.ok, "ok") }
        if path == "/ready" { return state.readiness }
        if path == "/purge", let purges { return await purges.respond(to: exchange.request) }
        if let development, let response = development.response(to: exchange) { return response }
        let route = route(of: path)
        record.route = route.reader
        var context = exchange.responseContext
        do {
            try check(exchange)
            let wanted = try urls.request(
                path: path, query: exchange.request.uri.query, now: context.now
            ).fitting(exchange.hints, widths: settings.hintWidths)
            (context.request, record.source) = (wanted, wanted.source.logName)
            if wanted.kind == .information { record.route = .info }
            if wanted.source == .upload { record.route = .upload }
            let response = try await image(wanted, &context, exchange)
            record.cache = context.timing.cache
            return response
        } catch {
            let failure = ServiceFailure(error, at: context.request?.source)
            context.timing = exchange.timer.timing(cache: nil)
            (record.failure, record.reason) = (failure.name, failure.reason)
            if context.request == nil { count(failure, &record, route.rest) }
            return Response(rules.response(failure, context), on: exchange.eventLoop)
        }
    }

    /// Counts a URL that was refused before its source was known.
    private func count(_ failure: ServiceFailure, _ record: inout RequestRecord, _ path: Substring) {
        if failure.error == .invalidSignature {
            observers.metrics.signatureFailed()
            let segments = path.split(separator: "/", maxSplits: 2)
            let isInformation = record.route == .native && segments.first == "info"
            record.signature = segments.dropFirst(isInformation ? 1 : 0).first.map(String.init)
        }
        switch record.route {
        case .imgproxy: observers.metrics.optionRefused(.imgproxy, failure.error)
        case .thumbor: observers.metrics.optionRefused(.thumbor, failure.error)
        default: break
        }
    }

    /// Whose URL a path is, by its longest prefix, and the path below that.
    private func route(of path: String) -> (reader: RequestRoute, rest: Substring) {
        let imgproxy = settings.urls.imgproxy.map { ($0.prefix, RequestRoute.imgproxy) }
        let thumbor = settings.urls.thumbor.map { ($0.prefix, RequestRoute.thumbor) }
        let prefixes = [imgproxy, thumbor].compactMap { $0 } + [(settings.urls.nativePrefix, .native)]
        let matching = prefixes.filter { prefix, _ in prefix == "/" || path.hasPrefix("\(prefix)/") }
        guard let (prefix, reader) = matching.max(by: { $0.0.utf8.count < $1.0.utf8.count }) else {
            return (.none, path[...])
        }
        return (reader, path.dropFirst(prefix == "/" ? 0 : prefix.count))
    }

    private func check(_ exchange: Exchange) throws(ServiceFailure) {
        let hasBody =
            exchange.request.headers[.contentLength] ?? "0" != "0"
            || exchange.request.headers[.transferEncoding] != nil
        switch exchange.request.method {
        case .get, .head:
            // Its bytes would be read by the next request of the connection.
            if hasBody { throw ServiceFailure(ServiceError(413, "The request must not have a body.")) }
        case .post: break
        default:
            var failure = ServiceFailure(.method)
            failure.allowedMethods = ["GET", "HEAD", "POST"]
            throw failure
        }
    }

    private func image(
        _ wanted: ServiceRequest, _ context: inout ServiceResponseContext, _ exchange: Exchange
    ) async throws -> Response {
        let isUpload = wanted.source == .upload
        guard isUpload == (exchange.request.method == .post) else {
            var failure = ServiceFailure(.method)
            failure.allowedMethods = isUpload ? ["POST"] : ["GET", "HEAD"]
            throw failure
        }
        if isUpload { return try await upload(wanted, &context, exchange) }
        do {
            return try await response(images.load(wanted, accept: context.accept), &context, exchange)
        } catch {
            let failure = ServiceFailure(error, at: wanted.source)
            guard Self.fallbackStatuses.contains(failure.error.status),
                let fallback = try images.fallback(for: wanted, accept: context.accept)
            else { throw failure }
            return try await response(fallback, isFallback: true, &context, exchange)
        }
    }

    /// The statuses that say something about the source, and nothing about the request or this server.
    private static let fallbackStatuses: Set = [404, 413, 422, 502, 504]

    private func response(
        _ load: ServiceLoad, isFallback: Bool = false, _ context: inout ServiceResponseContext,
        _ exchange: Exchange
    ) async throws -> Response {
        func kind(of result: RetrieveDataResult) -> ServiceResult.Kind {
            isFallback ? .fallback : images.kind(of: result, load)
        }
        if let hit = await images.cachedResult(of: load) {
            context.timing.cache = hit.cacheType == .memory ? .memory : .disk
            return response(hit, kind(of: hit), &context, exchange)
        }
        let made = try await bounded(exchange) { [images, observers] in
            try await observers.observe(load, exchange.timer) { try await images.result(of: load) }
        }
        context.timing.cache = origin(of: made)
        return response(made, kind(of: made), &context, exchange)
    }

    /// Without a tier, a cached result is one whose source has confirmed it.
    private func origin(of made: RetrieveDataResult) -> ServiceTiming.Cache {
        guard made.cacheType.cached else { return .miss }
        return images.hasTier ? .shared : .disk
    }

    private func upload(
        _ wanted: ServiceRequest, _ context: inout ServiceResponseContext, _ exchange: Exchange
    ) async throws -> Response {
        guard wanted.options.expires != nil else {
            throw ServiceFailure(ServiceError(400, "An upload needs the option expires."))
        }
        let made = try await bounded(exchange) { [images, observers, uploads, accept = context.accept] in
            try await uploads.withBody(of: exchange.request) { body in
                let load = try images.load(wanted, accept: accept, upload: body)
                return try await observers.observe(load, exchange.timer) {
                    try await images.uploadedResult(of: load)
                }
            }
        }
        context.timing.cache = made.cacheType.cached ? .memory : .miss
        return response(made, .final, &context, exchange)
    }

    /// Runs work that a client's rate, the time limit and a disconnect bound.
    private func bounded<Value: Sendable>(
        _ exchange: Exchange, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if state.isStopping { throw ServiceFailure(.stopping) }
        if let limiter, let client = clients.address(of: exchange),
            let delay = limiter.delay(of: ClientKey(client))
        {
            throw ServiceFailure(.clientRate, retryAfter: delay)
        }
        return try await BoundedWork(
            connection: exchange.connection, eventLoop: exchange.eventLoop,
            limit: TimeAmount(settings.timeouts.request)
        ).run(work)
    }

    private func response(
        _ result: RetrieveDataResult, _ kind: ServiceResult.Kind, _ context: inout ServiceResponseContext,
        _ exchange: Exchange
    ) -> Response {
        context.timing = exchange.timer.timing(cache: context.timing.cache)
        let method = exchange.request.method == .post ? "GET" : exchange.request.method.rawValue
        let isImage = context.request?.kind != .information
        let file = CachedFileResponse(
            byteCount: result.data.count, entityTag: result.entityTag,
            mediaType: isImage ? result.mediaType : "application/json", method: method
        ) { name in HTTPField.Name(name).flatMap { exchange.request.headers[$0] } }
        return Response(
            rules.response(file, ServiceResult(kind, of: result), context), result.data,
            on: exchange.eventLoop)
    }
}

/// A request with its connection and its beginning.
struct Exchange: Sendable {
    let request: Request
    let eventLoop: any EventLoop
    let connection: Connection?
    let timer: RequestTimer
    let requestID: String
    private let random: UInt64

    init(_ request: Request, _ context: ServerContext, _ connection: Connection?, _ timer: RequestTimer) {
        (self.request, self.connection, self.timer) = (request, connection, timer)
        eventLoop = context.channel.eventLoop
        random = .random(in: 0 ... .max)
        requestID = ServiceRequestID.choose(
            request.headers[Self.requestIDField], otherwise: String(random, radix: 16))
    }

    private static let requestIDField = HTTPField.Name("X-Request-ID") ?? .via

    var hints: ClientHints {
        ClientHints { name in HTTPField.Name(name).map { request.headers[values: $0] } ?? [] }
    }

    var responseContext: ServiceResponseContext {
        var context = ServiceResponseContext(now: Int(Date().timeIntervalSince1970))
        context.accept = AcceptHeader(request.headers[values: .accept])
        context.path = request.uri.path
        context.requestID = requestID
        context.jitter = Double(random) / Double(UInt64.max)
        return context
    }
}

extension ClientAddresses {
    func address(of exchange: Exchange) -> IPAddress? {
        address(of: exchange.connection?.address, forwarded: exchange.request.headers[values: Self.field])
    }

    private static let field = HTTPField.Name("X-Forwarded-For") ?? .via
}

extension Response {
    /// A line of text that no cache stores.
    static func line(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
    }
}
