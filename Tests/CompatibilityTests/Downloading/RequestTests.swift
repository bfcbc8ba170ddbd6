import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Adds a token that it gets asynchronously.
private struct TokenModifier: AsyncImageDownloadRequestModifier {
    let started = Shared<[Bool]>([])

    func modified(for request: URLRequest) async -> URLRequest? {
        await Task.yield()
        var request = request
        request.setValue("open sesame", forHTTPHeaderField: "X-Token")
        return request
    }

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? {
        { task in started.change { $0.append(task?.isInitialized == true) } }
    }
}

/// Redirects every request to another URL.
private struct URLModifier: ImageDownloadRequestModifier {
    let url: URL

    func modified(for request: URLRequest) -> URLRequest? {
        var request = request
        request.url = url
        return request
    }
}

/// Adds a header to redirected requests.
private struct HeaderRedirectHandler: ImageDownloadRedirectHandler {
    func handleHTTPRedirection(
        for task: SessionDataTask, response: HTTPURLResponse, newRequest: URLRequest
    ) async -> URLRequest? {
        #expect(response.statusCode == 302 && task.originalURL?.path.hasPrefix("/moved") == true)
        var request = newRequest
        request.setValue("yes", forHTTPHeaderField: "X-Followed")
        return request
    }
}

private final class Login: AuthenticationChallengeResponsible {
    func downloader(
        _ downloader: ImageDownloader, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard challenge.previousFailureCount == 0 else { return (.cancelAuthenticationChallenge, nil) }
        return (.useCredential, URLCredential(user: "me", password: "secret", persistence: .forSession))
    }
}

@Suite(.timeLimit(.minutes(1))) struct RequestTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    private func load(_ path: String, _ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        try await box.manager.retrieveImage(with: box.url(path), options: options)
    }

    @Test("A request modifier adds a header")
    func header() async throws {
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("open sesame", forHTTPHeaderField: "X-Token")
            return request
        }
        #expect(try await load("members/PNG/rgb8.png", [.requestModifier(modifier)]).image.size.width == 33)
        #expect(box.server.requests.first?.method == "GET")
    }

    @Test("An async modifier adds a token and receives the started download")
    func asyncModifier() async throws {
        let modifier = TokenModifier()
        #expect(try await load("members/PNG/rgb8.png", [.requestModifier(modifier)]).cacheType == .none)
        #expect(modifier.started.value == [true])
    }

    @Test("A modifier may change the URL, and the image is cached under the original one")
    func mirror() async throws {
        let modifier = URLModifier(url: box.url("PNG/rgb8.png"))
        let result = try await load("elsewhere.png", [.requestModifier(modifier)])
        #expect(result.image.size.width == 33 && result.source.url == box.url("elsewhere.png"))
        #expect(box.cache.isCached(forKey: box.url("elsewhere.png").cacheKey))
        #expect(box.server.requests.map(\.path) == ["/PNG/rgb8.png"])
    }

    @Test("A modifier without a request fails with emptyRequest")
    func noRequest() async {
        let error = await #expect(throws: KingfisherError.self) {
            try await load("PNG/rgb8.png", [.requestModifier(AnyModifier { _ in nil })])
        }
        #expect(error?.errorCode == 1001)
    }

    @Test("Redirects are followed, unchanged or modified by a handler")
    func redirects() async throws {
        #expect(try await load("moved/PNG/rgb8.png", []).image.size.width == 33)
        #expect(
            try await load("moved/PNG/gray8.png", [.redirectHandler(HeaderRedirectHandler())]).image.size
                .width == 33)
        let headers = box.server.requests.map { $0.header("X-Followed") }
        #expect(headers == [nil, nil, nil, "yes"])
    }

    @Test("A redirect handler refuses a redirect")
    func refusesRedirect() async throws {
        let seen = Shared<[Int]>([])
        let handler = AnyRedirectHandler { _, response, _, completion in
            seen.change { $0.append(response.statusCode) }
            completion(nil)
        }
        await #expect(throws: KingfisherError.self) {
            try await load("moved/PNG/rgb8.png", [.redirectHandler(handler)])
        }
        #expect(seen.value == [302] && box.server.requestCount() == 1)
    }

    @Test("A challenge responder supplies credentials")
    func authentication() async throws {
        let login: any AuthenticationChallengeResponsable = Login()
        box.downloader.authenticationChallengeResponder = login
        #expect(try await load("private/PNG/rgb8.png", []).image.size.width == 33)
        #expect(box.server.requestCount() == 2)
    }

    @Test("Missing credentials fail with 401")
    func missingCredentials() async {
        let error = await #expect(throws: KingfisherError.self) { try await load("private/PNG/rgb8.png", []) }
        #expect(error?.isInvalidResponseStatusCode(401) == true)
    }
}
