import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@Suite struct AuthenticationChallengeTests {
    /// Answers challenges from a list and records them.
    private final class ScriptedResponder: AuthenticationChallengeResponsible, Sendable {
        typealias Answer = (URLSession.AuthChallengeDisposition, String?)
        struct Challenge: Equatable {
            let host, realm, method: String?
            let port, failures: Int
            let status: Int?
            let task: Int
        }

        let challenges = Inbox<Challenge>()
        private let answers: [(URLSession.AuthChallengeDisposition, String?)]
        private let persistence: URLCredential.Persistence

        init(_ answers: [Answer], persistence: URLCredential.Persistence = .forSession) {
            self.answers = answers
            self.persistence = persistence
        }

        func downloader(
            _ downloader: ImageDownloader, task: URLSessionTask,
            didReceive challenge: URLAuthenticationChallenge
        ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            challenges.put(
                Challenge(
                    host: space.host, realm: space.realm, method: space.authenticationMethod,
                    port: space.port,
                    failures: challenge.previousFailureCount,
                    status: (challenge.failureResponse as? HTTPURLResponse)?.statusCode,
                    task: task.taskIdentifier))
            let (disposition, password) = answers[min(challenges.count, answers.count) - 1]
            return (
                disposition,
                password.map { URLCredential(user: "me", password: $0, persistence: persistence) }
            )
        }
    }

    /// "me:secret" in Base64.
    private static let validCredentials = "Basic bWU6c2VjcmV0"

    private func server() throws -> LoopbackServer {
        let png = try TestImages.png
        return try LoopbackServer { request in
            request.header("Authorization") == Self.validCredentials
                ? .ok(png)
                : .status(401, headers: [("WWW-Authenticate", #"Basic realm="images""#)], body: png)
        }
    }

    private func download(
        _ responder: ScriptedResponder?, _ urls: [URL],
        from downloader: ImageDownloader = ImageDownloader(name: "responder")
    ) async throws -> [Result<ImageLoadingResult, KingfisherError>] {
        if let responder { downloader.authenticationChallengeResponder = responder }
        var results: [Result<ImageLoadingResult, KingfisherError>] = []
        for url in urls {
            results.append(
                try await outcome {
                    downloader.downloadImage(
                        with: url, options: [.callbackQueue(.untouch)], completionHandler: $0)
                })
        }
        withExtendedLifetime(responder) {}
        return results
    }

    @Test("Credentials are requested once, with all properties of the challenge")
    func requestsCredentials() async throws {
        let server = try server()
        defer { server.stop() }
        let responder = ScriptedResponder([(.useCredential, "wrong"), (.useCredential, "secret")])
        let results = try await download(responder, [server.url("/1"), server.url("/2"), server.url("/3")])
        #expect(results.allSatisfy { reason($0) == nil })
        let first = try #require(responder.challenges.values.first)
        #expect(
            first
                == ScriptedResponder.Challenge(
                    host: "127.0.0.1", realm: "images", method: NSURLAuthenticationMethodHTTPBasic,
                    port: Int(server.port), failures: 0, status: 401, task: first.task))
        #expect(responder.challenges.values.map(\.failures) == [0, 1])
        #expect(Set(responder.challenges.values.map(\.task)).count == 1)
        #expect(server.requestCount() == 5)
    }

    @Test("The responder's disposition decides the result")
    func decisions() async throws {
        let table: [(ScriptedResponder.Answer, String?, requests: Int)] = [
            ((.useCredential, "secret"), nil, 2),
            ((.useCredential, nil), "invalidHTTPStatusCode", 1),
            ((.performDefaultHandling, "secret"), "invalidHTTPStatusCode", 1),
            ((.rejectProtectionSpace, "secret"), "invalidHTTPStatusCode", 1),
            ((.cancelAuthenticationChallenge, nil), "URLSessionError", 1),
        ]
        for (answer, name, requests) in table {
            let server = try server()
            defer { server.stop() }
            let result = try #require(
                try await download(ScriptedResponder([answer]), [server.url("/1")]).first)
            #expect(reason(result) == name, "\(answer)")
            #expect(server.requestCount() == requests)
            if case .responseError(.URLSessionError(let error)) = result.failure {
                #expect((error as? URLError)?.code == .cancelled)
            }
            if name == "invalidHTTPStatusCode" {
                #expect(result.failure?.isInvalidResponseStatusCode(401) == true)
            }
        }
    }

    @Test("A credential without persistence applies to one download")
    func persistence() async throws {
        let server = try server()
        defer { server.stop() }
        let responder = ScriptedResponder([(.useCredential, "secret")], persistence: .none)
        _ = try await download(responder, [server.url("/1"), server.url("/2")])
        #expect(responder.challenges.count == 2)
    }

    @Test("By default the downloader answers with user name and password of the URL")
    func ownAnswer() async throws {
        let server = try server()
        defer { server.stop() }
        let downloader = ImageDownloader(name: "own")
        #expect(downloader.authenticationChallengeResponder === downloader)
        let text = server.url("/1").absoluteString
        let url = try #require(URL(string: text.replacing("//", with: "//me:secret@")))
        let results = try await download(nil, [url, server.url("/2")], from: downloader)
        #expect(results.allSatisfy { reason($0) == nil })
        #expect(try results.first?.get().url == url)
        let other = ImageDownloader(name: "other")
        other.authenticationChallengeResponder = nil
        #expect(
            reason(try #require(try await download(nil, [server.url("/1")], from: other).first))
                == "invalidHTTPStatusCode")
    }

    @Test(
        "Every image costs a 401 unless credentials are remembered, and they serve no other caller",
        arguments: [true, false])
    func remembersCredentials(isRemembered: Bool) async throws {
        let server = try server()
        defer { server.stop() }
        let downloader = ImageDownloader(name: "remembering")
        #expect(downloader.remembersCredentials)
        downloader.remembersCredentials = isRemembered
        func own(_ path: String) throws -> URL {
            try #require(
                URL(string: server.url(path).absoluteString.replacing("//", with: "//me:secret@")))
        }
        let urls = try (1...4).map { try own("/\($0)") }
        let results = try await download(nil, urls, from: downloader)
        #expect(results.allSatisfy { reason($0) == nil })
        #expect(server.requestCount() == (isRemembered ? 5 : 8))
        // Another caller, without a password.
        let other = try #require(try await download(nil, [server.url("/5")], from: downloader).first)
        #expect(reason(other) == (isRemembered ? nil : "invalidHTTPStatusCode"))
        // A change forgets what was remembered.
        downloader.remembersCredentials = false
        let later = try #require(try await download(nil, [server.url("/6")], from: downloader).first)
        #expect(reason(later) == "invalidHTTPStatusCode")
    }

    @Test("The answer of a responder serves one download unless credentials are remembered")
    func responderIsAskedAgain() async throws {
        let server = try server()
        defer { server.stop() }
        let downloader = ImageDownloader(name: "forgetting")
        downloader.remembersCredentials = false
        let responder = ScriptedResponder([(.useCredential, "secret")])
        let results = try await download(responder, [server.url("/1"), server.url("/2")], from: downloader)
        #expect(results.allSatisfy { reason($0) == nil })
        #expect(responder.challenges.count == 2 && server.requestCount() == 4)
    }

    @Test("The method without a task is the fallback, and the older protocol name works")
    func defaults() async throws {
        final class LegacyResponder: AuthenticationChallengeResponsable, Sendable {
            func downloader(
                _ downloader: ImageDownloader, didReceive challenge: URLAuthenticationChallenge
            ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
                (.useCredential, URLCredential(user: "me", password: "secret", persistence: .forSession))
            }
        }
        let server = try server()
        defer { server.stop() }
        let downloader = ImageDownloader(name: "plain")
        let responder = LegacyResponder()
        downloader.authenticationChallengeResponder = responder
        _ = try await downloader.downloadImage(with: server.url("/1"))
        withExtendedLifetime(responder) {}
    }

    @Test(
        "Cancelling while a responder decides completes once, and its answer is ignored",
        .behaviours("N-3"))
    func cancelWhileDeciding() async throws {
        final class Slow: AuthenticationChallengeResponsible, Sendable {
            let waiting = Inbox<CheckedContinuation<Void, Never>>()

            func downloader(
                _ downloader: ImageDownloader, didReceive challenge: URLAuthenticationChallenge
            ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
                await withCheckedContinuation { waiting.put($0) }
                return (
                    .useCredential, URLCredential(user: "me", password: "secret", persistence: .forSession)
                )
            }
        }
        let server = try server()
        defer { server.stop() }
        let (downloader, slow) = (ImageDownloader(name: "slow"), Slow())
        downloader.authenticationChallengeResponder = slow
        let done = Inbox<Result<ImageLoadingResult, KingfisherError>>()
        let task = downloader.downloadImage(with: server.url("/1")) { done.put($0) }
        let answer = try await slow.waiting.first()
        task.cancel()
        #expect(try await done.first().failure?.isTaskCancelled == true)
        answer.resume()
        await passMainQueue()
        #expect(done.count == 1 && server.requestCount() == 1)
    }

    @Test("Headers of the configuration do not follow a redirect to another server")
    func configurationHeaders() async throws {
        let png = try TestImages.png
        let other = try LoopbackServer { _ in .ok(png) }
        defer { other.stop() }
        let target = other.url("/x").absoluteString
        let server = try LoopbackServer { _ in .redirect(to: target) }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = [
            "Authorization": "Bearer all", "Cookie": "a=1", "X-Plain": "p",
        ]
        let downloader = ImageDownloader(name: "headers")
        downloader.sessionConfiguration = configuration
        _ = try await downloader.downloadImage(with: server.url("/1"))
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer all"])
        #expect(server.requests.map { $0.header("Cookie") } == ["a=1"])
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
        #expect(other.requests.map { $0.header("Cookie") } == [nil])
        #expect(other.requests.map { $0.header("X-Plain") } == ["p"])
    }

    @Test("Cookies of a server are sent back to it, from the downloader's private storage")
    func cookies() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { _ in .ok(png, headers: [("Set-Cookie", "a=1; Max-Age=100")]) }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "cookies")
        _ = try await downloader.downloadImage(with: server.url("/1"))
        _ = try await downloader.downloadImage(with: server.url("/2"))
        _ = try await ImageDownloader(name: "other").downloadImage(with: server.url("/3"))
        #expect(server.requests.map { $0.header("Cookie") } == [nil, "a=1", nil])
        #expect(HTTPCookieStorage.shared.cookies?.contains { $0.domain == "127.0.0.1" } != true)
    }
}
