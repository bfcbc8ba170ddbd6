import Foundation
import FoundationNetworking

@testable import KingfisherTransport

/// The redirect of a request that has secrets.
func redirect(_ response: TransportResponse, from url: URL) {
    let secrets = ["Authorization", "Cookie", "Proxy-Authorization", "Host"]
    for method in ["GET", "POST"] {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for name in secrets { request.setValue("s3cret", forHTTPHeaderField: name) }
        request.setValue(url.absoluteString, forHTTPHeaderField: "Referer")
        let rules = RedirectRules()
        guard case .follow(let next) = rules.decide(response, to: request, hops: 0) else { continue }
        precondition(
            rules.decide(response, to: request, hops: 5) == .fail(.tooManyRedirects(limit: 5)),
            "followed a sixth redirect")
        guard let target = next.url, let origin = Origin(target), let old = Origin(url) else {
            preconditionFailure("a redirect has no URL")
        }
        precondition(["http", "https"].contains(origin.scheme), "a redirect to \(origin.scheme)")
        precondition(origin.scheme == "https" || old.scheme == "http", "a redirect from https to http")
        precondition(target.user == nil && target.password == nil, "a redirect contains a name and password")
        precondition(
            next.value(forHTTPHeaderField: "Referer")?.contains("secret@") == false,
            "a Referer contains a password")
        if origin != old {
            precondition(
                secrets.allSatisfy { next.value(forHTTPHeaderField: $0) == nil },
                "a secret was sent to another origin")
        }
        compare(target)
        check(next)
    }
}

/// Compares the fast URL parser, if it supports the URL, with Foundation.
private func compare(_ url: URL) {
    guard let plain = Origin.plain(url), let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else {
        return
    }
    precondition(plain.scheme == parts.scheme?.lowercased(), "the schemes differ")
    precondition(plain.host == parts.host?.lowercased(), "the hosts differ")
    precondition(plain.port == parts.port ?? (plain.scheme == "https" ? 443 : 80), "the ports differ")
}

/// A complete fetch from a server that returns these responses and repeats the last one.
func fetch(_ responses: [TransportResponse], from url: URL) {
    let store = CredentialStore { "c0ffee" }
    var state = FetchState(
        TransportRequest(URLRequest(url: url)), rules: RedirectRules(),
        asks: FetchHooks.Present(redirect: false, credential: false), at: .now)
    // Five redirects, eight responses to challenges and the request itself.
    for exchange in 0..<14 {
        guard let (sent, authorization) = state.nextRequest(at: .now), let place = sent.urlRequest.url else {
            return
        }
        precondition(place.user == nil && place.password == nil, "a URL contains a password")
        if let authorization { answer(authorization, sent.urlRequest, store) }
        let given = responses[min(exchange, responses.count - 1)]
        switch state.takeHead(given, credentials: store) {
        case .ask, .askForCredential: preconditionFailure("asked a handler that does not exist")
        case .deliver, .drain, .end: break
        }
        guard case .startNext = state.endHop(.success(TransportMetrics()), at: .now) else { return }
    }
    preconditionFailure("the fetch does not end")
}

/// The field that responds to a challenge has the syntax of a challenge, and repeats values of the server.
private func answer(_ authorization: Authorization, _ request: URLRequest, _ store: CredentialStore) {
    precondition(request.url?.host == "img.example.com", "a password for another host")
    let field = store.fieldValue(of: authorization, for: request)
    var request = request
    request.setValue(field, forHTTPHeaderField: "Authorization")
    check(request)
    guard case .digest(let challenge) = authorization.method, field.utf8.count <= ChallengeReader.maxBytes
    else {
        return
    }
    let read = ChallengeReader.read(field)
    precondition(read.count == 1 && read[0].scheme == "digest", "the response is not a single credential")
    precondition(read[0].parameters["realm"] == challenge.realm, "the realm differs")
    precondition(read[0].parameters["nonce"] == challenge.nonce, "the nonce differs")
    precondition(read[0].parameters["opaque"] == challenge.opaque, "the opaque value differs")
    precondition(!field.contains("secret"), "the response contains the password")
}
