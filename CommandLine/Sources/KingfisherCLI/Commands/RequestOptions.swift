import ArgumentParser
import Foundation
import FoundationNetworking
import Kingfisher

/// Header fields of requests to http(s) servers.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")],
        help: ArgumentHelp(
            "Sends a header field with requests, but not after a redirect to another server.",
            valueName: "name: value"),
        transform: { try HeaderField($0) })
    var headers: [HeaderField] = []

    /// The options of a download that sends the fields. A request keeps them after redirects to its own
    /// origin only, because they may be secrets.
    var options: KingfisherOptionsInfo {
        let headers = headers
        guard !headers.isEmpty else { return [] }
        let modifier = AnyModifier { request in
            var request = request
            for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
            return request
        }
        let redirects = AnyRedirectHandler { _, response, request, complete in
            var request = request
            if request.url?.origin != response.url?.origin {
                for header in headers { request.setValue(nil, forHTTPHeaderField: header.name) }
            }
            complete(request)
        }
        return [.requestModifier(modifier), .redirectHandler(redirects)]
    }
}

/// A field such as `Accept-Language: en` (RFC 9110, 5.5).
struct HeaderField: Hashable, Sendable {
    let name: String
    let value: String

    init(_ text: String) throws(ValidationError) {
        let (name, value) = text.split(at: ":")
        let symbols = "!#$%&'*+-.^_`|~"
        guard let value, !name.isEmpty,
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || symbols.contains($0)) })
        else { throw ValidationError("a header is written 'Name: value'") }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw ValidationError("the value of a header cannot contain control characters")
        }
        self.name = name
        self.value = value.trimmingCharacters(in: .whitespaces)
    }
}

extension URL {
    /// Scheme, host and port.
    fileprivate var origin: [String] {
        let scheme = scheme?.lowercased() ?? ""
        return [scheme, host()?.lowercased() ?? "", "\(port ?? (scheme == "https" ? 443 : 80))"]
    }
}
