import Foundation
import FoundationNetworking

@testable import KingfisherTransport

/// Where a response leads a request that has secrets.
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
            rules.decide(response, to: request, hops: 5) == .fail(.tooManyRedirects(limit: 5)), "a sixth")
        guard let target = next.url, let origin = Origin(target), let old = Origin(url) else {
            preconditionFailure("a redirect to nowhere")
        }
        precondition(["http", "https"].contains(origin.scheme), "a redirect to \(origin.scheme)")
        precondition(origin.scheme == "https" || old.scheme == "http", "a redirect from https to http")
        precondition(target.user == nil && target.password == nil, "a name and password from a server")
        precondition(
            next.value(forHTTPHeaderField: "Referer")?.contains("secret@") == false, "a Referer that tells")
        if origin != old {
            precondition(
                secrets.allSatisfy { next.value(forHTTPHeaderField: $0) == nil },
                "a secret sent to a stranger")
        }
        compare(target)
        check(next)
    }
}

/// The quick reading of a URL, where it reads it, and Foundation's.
private func compare(_ url: URL) {
    guard let plain = Origin.plain(url), let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else {
        return
    }
    precondition(plain.scheme == parts.scheme?.lowercased(), "two schemes")
    precondition(plain.host == parts.host?.lowercased(), "two hosts")
    precondition(plain.port == parts.port ?? (plain.scheme == "https" ? 443 : 80), "two ports")
}

/// A whole fetch, whose server gives these answers, and the last of them again and again.
func fetch(_ responses: [TransportResponse], from url: URL) {
    let store = CredentialStore { "c0ffee" }
    var state = FetchState(
        TransportRequest(URLRequest(url: url)), rules: RedirectRules(),
        asks: FetchHooks.Present(redirect: false, credential: false), at: .now)
    // Five redirects, eight answers to challenges and the request itself.
    for exchange in 0..<14 {
        guard let (sent, authorization) = state.nextRequest(at: .now), let place = sent.urlRequest.url else {
            return
        }
        precondition(place.user == nil && place.password == nil, "a URL that tells its password")
        if let authorization { answer(authorization, sent.urlRequest, store) }
        let given = responses[min(exchange, responses.count - 1)]
        switch state.takeHead(given, credentials: store) {
        case .ask, .askForCredential: preconditionFailure("a question to nobody")
        case .deliver, .drain, .end: break
        }
        guard case .startNext = state.endHop(.success(TransportMetrics()), at: .now) else { return }
    }
    preconditionFailure("a fetch without end")
}

/// The field that answers a challenge has a challenge's form, and says back what the server said.
private func answer(_ authorization: Authorization, _ request: URLRequest, _ store: CredentialStore) {
    precondition(request.url?.host == "img.example.com", "a password for a stranger")
    let field = store.fieldValue(of: authorization, for: request)
    var request = request
    request.setValue(field, forHTTPHeaderField: "Authorization")
    check(request)
    guard case .digest(let challenge) = authorization.method, field.utf8.count <= ChallengeReader.maxBytes
    else {
        return
    }
    let read = ChallengeReader.read(field)
    precondition(read.count == 1 && read[0].scheme == "digest", "an answer that is no single credential")
    precondition(read[0].parameters["realm"] == challenge.realm, "another realm")
    precondition(read[0].parameters["nonce"] == challenge.nonce, "another nonce")
    precondition(read[0].parameters["opaque"] == challenge.opaque, "another opaque")
    precondition(!field.contains("secret"), "an answer that tells the password")
}
