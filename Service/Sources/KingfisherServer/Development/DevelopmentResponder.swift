import Foundation
import HTTPTypes
import Hummingbird
import Kingfisher
import KingfisherService
import NIOCore

/// The page for people in development, `/`, and what its script asks for: the images of the folder with the
/// steps and options of URLs, and signatures.
///
/// Who can connect can sign. Therefore the server listens on loopback, no other origin can read a response,
/// and the `Host` field must name this machine: the name of another site may resolve to loopback (DNS
/// rebinding).
struct DevelopmentResponder: Sendable {
    private let urls: ServiceURLs
    private let rules: ServiceResponseRules
    private let settings: ServerSettings

    /// Nil unless the server is in development and listens on loopback.
    init?(_ settings: ServerSettings, _ rules: ServiceResponseRules) {
        guard settings.responses.isDevelopment, settings.listen.isLocal,
            let urls = try? ServiceURLs(settings.urls)
        else { return nil }
        (self.settings, self.urls, self.rules) = (settings, urls, rules)
    }

    /// Nil for a path that does not belong to the page.
    func response(to exchange: Exchange) -> Response? {
        let request = exchange.request
        guard ["/", "/development/choices", "/development/sign"].contains(request.uri.path) else {
            return nil
        }
        let nonce = UUID().uuidString
        var response = response(to: request, exchange, nonce)
        let scripts = "script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'"
        response.headers[.contentSecurityPolicy] =
            "default-src 'none'; \(scripts); img-src 'self' blob: data:; connect-src 'self'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        response.headers[.xContentTypeOptions] = "nosniff"
        response.headers[.accessControlAllowOrigin] = nil
        response.headers[.crossOriginResourcePolicy] = "same-origin"
        return response
    }

    private func response(to request: Request, _ exchange: Exchange, _ nonce: String) -> Response {
        guard Self.isLocal(request) else {
            return .line(.forbidden, "This page is only for this machine: use the address of the listener.")
        }
        guard [.get, .head].contains(request.method) else {
            return Response(
                rules.response(ServiceFailure(.method), exchange.responseContext), on: exchange.eventLoop)
        }
        switch request.uri.path {
        case "/": return Self.page(nonce)
        case "/development/choices":
            return (try? .json(.ok, Choices(settings))) ?? .line(.internalServerError, "JSON failed.")
        default: return signed(request.uri.queryParameters.get("path") ?? "", exchange)
        }
    }

    /// Whether the client has used a name of this machine, and no proxy.
    private static func isLocal(_ request: Request) -> Bool {
        let proxies = ["Forwarded", "X-Forwarded-For", "Via"].compactMap { HTTPField.Name($0) }
        guard !proxies.contains(where: { request.headers[$0] != nil }),
            let host = request.head.authority?.wholeMatch(of: /\[([0-9a-f:]+)\](?::\d+)?|([^:]+)(?::\d+)?/)
        else { return false }
        return ServerSettings.Listener.tcp(host: String(host.1 ?? host.2 ?? ""), port: 0).isLocal
    }

    private static func page(_ nonce: String) -> Response {
        let html = String(decoding: PackageResources.page_html, as: UTF8.self)
        return Response(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html.replacing("NONCE", with: nonce))))
    }

    /// The signed path of a path that can be read; the offset of an error is in the path that was asked for.
    private func signed(_ path: String, _ exchange: Exchange) -> Response {
        var context = exchange.responseContext
        context.path = path
        do {
            return try .json(.ok, ["url": urls.signReadable(path: path, now: context.now)])
        } catch {
            return Response(rules.response(ServiceFailure(error), context), on: exchange.eventLoop)
        }
    }

    /// What the page offers.
    private struct Choices: Encodable {
        struct Segment: Encodable {
            let name, usage, example, summary: String
        }

        let images: [String]
        let steps: [Segment]
        let options: [Segment]
        let notes = StepGrammar.notes

        init(_ settings: ServerSettings) {
            images = ExampleURLs.images(settings)
            steps = StepGrammar.standard.definitions.map {
                Segment(name: $0.name, usage: $0.usage, example: $0.example, summary: $0.summary)
            }
            options = ServiceOptionDefinition.all.map {
                Segment(name: $0.name, usage: $0.usage, example: $0.example, summary: $0.summary)
            }
        }
    }
}
