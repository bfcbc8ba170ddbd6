import Foundation
import FoundationNetworking
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherTransport

/// Fetches from servers that require credentials.
@Suite struct AuthenticationTests {
    /// Gives its decisions in order, then repeats the last one, and records the questions.
    private final class Authenticator: Sendable {
        private let answers: [AuthenticationDecision]
        private let state = Mutex<[AuthenticationQuestion]>([])

        init(_ answers: AuthenticationDecision...) { self.answers = answers }

        var questions: [AuthenticationQuestion] { state.withLock { $0 } }

        var hooks: FetchHooks {
            FetchHooks(credential: { [self] question, completion in
                let count = state.withLock { questions in
                    questions.append(question)
                    return questions.count
                }
                let answer = answers[min(count, answers.count) - 1]
                DispatchQueue.global().async {
                    completion(answer)
                    completion(.cancel)
                }
            })
        }
    }

    private static func login(_ user: String = "me", _ password: String = "secret", kept: Bool = true)
        -> AuthenticationDecision
    {
        .use(LoginCredential(user: user, password: password), isKept: kept)
    }

    /// Runs fetches one after the other with one store.
    private func fetch(
        _ urls: [URL], _ authenticator: Authenticator = Authenticator(.standard),
        store: CredentialStore = CredentialStore(),
        change: (inout TransportRequest) -> Void = { _ in }
    ) async throws -> [Recorder] {
        let transport = curlTransport()
        defer { transport.invalidate() }
        let fetch = HTTPFetch(transport, credentials: store)
        var recorders: [Recorder] = []
        for url in urls {
            let handler = Recorder()
            _ = fetch.start(request(url, change), hooks: authenticator.hooks, handler: handler)
            _ = try await handler.result()
            recorders.append(handler)
        }
        return recorders
    }

    private func basicServer(_ right: String = "me:secret") throws -> LoopbackServer {
        try LoopbackServer { request in
            request.basicLogin == right
                ? .ok(Data("image".utf8))
                : .status(
                    401,
                    headers: [("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", #"Basic realm="r""#)],
                    body: bytes(100_000))
        }
    }

    @Test func basicCredentialIsAskedForOncePerFolder() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let authenticator = Authenticator(Self.login())
        let done = try await fetch(["/a/1", "/a/2", "/a/b/3", "/c"].map { server.url($0) }, authenticator)
        #expect(done.allSatisfy { $0.now.body == Data("image".utf8) && $0.now.head?.statusCode == 200 })
        let question = try #require(authenticator.questions.first)
        #expect(question.method == .basic(realm: "r") && question.failures == 0 && question.proposed == nil)
        #expect(question.origin == Origin(server.url()))
        #expect(question.response.status == 401)
        // Another folder gets a 401, but its realm is known.
        #expect(authenticator.questions.count == 1)
        #expect(
            server.requests.map { "\($0.path) \($0.basicLogin ?? "-")" } == [
                "/a/1 -", "/a/1 me:secret", "/a/2 me:secret", "/a/b/3 me:secret", "/c -", "/c me:secret",
            ])
    }

    @Test(arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"])
    func digestCredentialIsAskedForOncePerServer(_ algorithm: String) async throws {
        let digest = DigestServer(algorithm)
        let server = try LoopbackServer { digest.respond(to: $0) }
        defer { server.stop() }
        let authenticator = Authenticator(Self.login())
        let done = try await fetch(["/1?x=%20y", "/a/2", "/3"].map { server.url($0) }, authenticator)
        #expect(done.allSatisfy { $0.now.body == Data("image".utf8) })
        #expect(authenticator.questions.count == 1 && authenticator.questions.first?.method.isDigest == true)
        #expect(server.requests.count == 4)
        #expect(server.requests.last?.header("Authorization")?.contains("nc=00000003") == true)
        // The short body of the 401 was read to its end, so the connection was reused.
        #expect(server.acceptedConnections == 1)
    }

    @Test(arguments: [false, true])
    func digestCredentialIsNotSentByBasicWithoutAQuestion(isRefused: Bool) async throws {
        let digest = DigestServer()
        let server = try LoopbackServer { request in
            if request.path == "/1" { return digest.respond(to: request) }
            return request.basicLogin == nil
                ? .status(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
                : .ok(Data("image".utf8))
        }
        defer { server.stop() }
        let (first, store) = (Authenticator(Self.login()), CredentialStore())
        _ = try await fetch([server.url("/1")], first, store: store)
        let (name, kept) = ("r", try #require(Origin(server.url())))
        #expect(store.authorization(for: name, at: kept)?.method.isDigest == true)
        let second = Authenticator(isRefused ? .refuse : Self.login())
        let done = try await fetch([server.url("/2")], second, store: store)
        #expect(second.questions.map(\.method) == [.basic(realm: "r")])
        #expect(done.first?.now.head?.statusCode == (isRefused ? 401 : 200))
        #expect(server.requests.compactMap(\.basicLogin) == (isRefused ? [] : ["me:secret"]))
    }

    /// The digest is for another part of the server, so it is not sent in advance, and only the store could
    /// answer the challenge.
    @Test func digestCredentialIsNotUsedForBasicWithTheSameRealm() async throws {
        let server = try LoopbackServer { _ in
            .status(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
        }
        defer { server.stop() }
        let field = #"Digest realm="r", nonce="n", qop="auth", domain="/digest""#
        let method = try #require(AuthenticationMethod.strongest(in: field))
        let store = CredentialStore()
        store.remember(
            Authorization(method: method, credential: LoginCredential(user: "me", password: "secret")),
            for: server.url("/digest"))
        let authenticator = Authenticator(.refuse)
        _ = try await fetch([server.url("/1")], authenticator, store: store)
        #expect(authenticator.questions.count == 1)
        #expect(server.requests.map(\.basicLogin) == [nil])
    }

    @Test func staleNonceIsRenewedWithoutAQuestion() async throws {
        let digest = DigestServer()
        let server = try LoopbackServer { digest.respond(to: $0) }
        defer { server.stop() }
        let (authenticator, store) = (Authenticator(Self.login()), CredentialStore())
        _ = try await fetch([server.url("/1")], authenticator, store: store)
        digest.renew()
        let second = try await fetch([server.url("/2")], authenticator, store: store)
        #expect(second.first?.now.body == Data("image".utf8))
        #expect(authenticator.questions.count == 1)
        #expect(server.requests.map(\.path) == ["/1", "/1", "/2", "/2"])
    }

    @Test func attemptsAreLimitedForAServerThatRefusesAll() async throws {
        let digest = DigestServer()
        let server = try LoopbackServer { _ in
            digest.renew()
            return digest.demand(stale: true)
        }
        defer { server.stop() }
        for authenticator in [Authenticator(Self.login()), Authenticator(.standard)] {
            let before = server.requestCount()
            let done = try await fetch([server.url("/1")], authenticator)
            #expect(done.first?.now.head?.statusCode == 401)
            #expect(server.requestCount() - before <= AuthenticationRounds.limit + 1)
        }
    }

    @Test func wrongPasswordIsAskedForAgainUpToALimit() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let second = Authenticator(Self.login("me", "wrong"), Self.login())
        #expect(try await fetch([server.url("/1")], second).first?.now.head?.statusCode == 200)
        #expect(second.questions.map(\.failures) == [0, 1])
        let repeating = Authenticator(Self.login("me", "wrong"))
        let done = try await fetch([server.url("/1")], repeating)
        // After the last attempt, the result is the 401 with its body.
        #expect(done.first?.now.head?.statusCode == 401 && done.first?.now.body.count == 100_000)
        #expect(repeating.questions.map(\.failures) == Array(0..<AuthenticationRounds.limit))
    }

    @Test func changedPasswordIsForgotten() async throws {
        let isChanged = Mutex(false)
        let server = try LoopbackServer { request in
            let right = isChanged.withLock { $0 } ? "me:new" : "me:secret"
            return request.basicLogin == right
                ? .ok(Data("image".utf8))
                : .status(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
        }
        defer { server.stop() }
        let (authenticator, store) = (Authenticator(Self.login(), Self.login("me", "new")), CredentialStore())
        _ = try await fetch([server.url("/1")], authenticator, store: store)
        isChanged.withLock { $0 = true }
        let done = try await fetch([server.url("/2"), server.url("/3")], authenticator, store: store)
        #expect(done.allSatisfy { $0.now.head?.statusCode == 200 })
        #expect(authenticator.questions.map(\.failures) == [0, 1])
        #expect(server.requests.map { $0.basicLogin } == [nil, "me:secret", "me:secret", "me:new", "me:new"])
    }

    @Test func credentialMayBeForOneFetch() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let authenticator = Authenticator(Self.login(kept: false))
        _ = try await fetch([server.url("/1"), server.url("/1")], authenticator)
        #expect(authenticator.questions.count == 2)
    }

    @Test(arguments: [true, false]) func refusalEndsWith401AndCancellationFails(cancels: Bool) async throws {
        let server = try basicServer()
        defer { server.stop() }
        let done = try await fetch([server.url("/1")], Authenticator(cancels ? .cancel : .refuse))
        #expect(done.first?.now.head?.statusCode == (cancels ? nil : 401))
        #expect(try await done.first?.error() == (cancels ? .cancelled : nil))
        #expect(server.requestCount() == 1)
    }

    @Test(arguments: [AuthenticationDecision.cancel, login()])
    func bodyAnnouncedAsLongIsNotReadAfterTheDecision(_ decision: AuthenticationDecision) async throws {
        let fields = [("WWW-Authenticate", #"Basic realm="r""#), ("Content-Length", "100000")]
        let server = try LoopbackServer { request in
            request.basicLogin != nil
                ? .ok(Data("image".utf8))
                : ServerResponse([.send(ServerResponse.head(401, headers: fields)), .hang])
        }
        defer { server.stop() }
        let done = try await fetch([server.url("/1")], Authenticator(decision))
        if case .cancel = decision {
            #expect(try await done[0].error() == .cancelled)
        } else {
            #expect(done[0].now.head?.statusCode == 200 && server.requestCount() == 2)
        }
    }

    @Test func credentialOfTheURLIsUsedOnce() async throws {
        let server = try basicServer("m@e:s:t")
        defer { server.stop() }
        func url(_ login: String) throws -> URL {
            try #require(URL(string: server.url("/1").absoluteString.replacing("//", with: "//\(login)@")))
        }
        let authenticator = Authenticator(.standard)
        let done = try await fetch([try url("m%40e:s%3At")], authenticator)
        #expect(done.first?.now.head?.statusCode == 200)
        #expect(done.first?.now.head?.url == server.url("/1"))
        #expect(authenticator.questions.first?.proposed == LoginCredential(user: "m@e", password: "s:t"))
        #expect(
            server.requests.first?.header("Authorization") == nil, "no credential is sent before a challenge")
        let wrong = Authenticator(.standard)
        #expect(try await fetch([try url("m:x")], wrong).first?.now.head?.statusCode == 401)
        #expect(wrong.questions.map { $0.proposed?.user } == ["m", nil])
        #expect(server.requestCount() == 4)
        // The result is the same without a credential hook.
        let transport = curlTransport()
        defer { transport.invalidate() }
        let handler = try await HTTPFetch(transport).run(request(try url("m%40e:s%3At")))
        #expect(handler.now.head?.statusCode == 200)
    }

    @Test func credentialIsNotSentToAnotherServer() async throws {
        let other = try basicServer()
        defer { other.stop() }
        let target = other.url("/x").absoluteString
        let server = try LoopbackServer { request in
            request.basicLogin == nil
                ? .status(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)]) : .redirect(to: target)
        }
        defer { server.stop() }
        let url = try #require(
            URL(string: server.url("/1").absoluteString.replacing("//", with: "//me:secret@")))
        let authenticator = Authenticator(.standard)
        let done = try await fetch([url], authenticator)
        #expect(done.first?.now.head?.statusCode == 401)
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
        #expect(authenticator.questions.map(\.origin) == [Origin(server.url()), Origin(other.url())])
        #expect(authenticator.questions.last?.proposed == nil)
        #expect(authenticator.questions.last?.failures == 0)
    }

    @Test func redirectWithinTheServerKeepsTheCredential() async throws {
        let server = try LoopbackServer { request in
            guard request.basicLogin == "me:secret" else {
                return .status(401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
            }
            return request.path == "/a/1" ? .redirect(to: "/b/2") : .ok(Data("image".utf8))
        }
        defer { server.stop() }
        let url = try #require(
            URL(string: server.url("/a/1").absoluteString.replacing("//", with: "//me:secret@")))
        let metrics = try await fetch([url]).first?.result().get()
        #expect(metrics?.redirectCount == 1)
        #expect(
            server.requests.map { "\($0.path) \($0.basicLogin ?? "-")" } == [
                "/a/1 -", "/a/1 me:secret", "/b/2 -", "/b/2 me:secret",
            ])
    }

    @Test func authorizationOfTheRequestIsSentFirst() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let (authenticator, store) = (Authenticator(Self.login()), CredentialStore())
        _ = try await fetch([server.url("/1")], authenticator, store: store)
        _ = try await fetch([server.url("/2")], authenticator, store: store) {
            $0.urlRequest.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        }
        #expect(server.requests[2].header("Authorization") == "Bearer x")
        #expect(server.requests.last?.basicLogin == "me:secret")
    }

    @Test func challengeOfAProxyIsNotAnswered() async throws {
        let server = try LoopbackServer { _ in
            .status(
                407,
                headers: [("Proxy-Authenticate", "Basic realm=p"), ("WWW-Authenticate", "Basic realm=p")])
        }
        defer { server.stop() }
        let authenticator = Authenticator(Self.login())
        #expect(try await fetch([server.url("/1")], authenticator).first?.now.head?.statusCode == 407)
        #expect(authenticator.questions.isEmpty)
    }

    @Test func userNameWithAColonIsNotSentByBasic() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let done = try await fetch([server.url("/1")], Authenticator(Self.login("a:b", "c")))
        #expect(done.first?.now.head?.statusCode == 401)
        #expect(server.requestCount() == 1)
    }

    @Test func cancellingWhileAQuestionIsPending() async throws {
        let server = try basicServer()
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let pending = Mutex<(@Sendable (AuthenticationDecision) -> Void)?>(nil)
        let store = CredentialStore()
        let handler = Recorder()
        let task = HTTPFetch(transport, credentials: store).start(
            request(server.url("/1")),
            hooks: FetchHooks(credential: { _, completion in pending.withLock { $0 = completion } }),
            handler: handler)
        #expect(await poll { pending.withLock { $0 != nil } })
        task.resume()
        task.cancel()
        #expect(try await handler.error() == .cancelled)
        pending.withLock { $0 }?(Self.login())
        #expect(server.requestCount() == 1)
        #expect(store.knownAuthorization(for: URLRequest(url: server.url("/1"))) == nil)
    }

    @Test func concurrentFetchesShareOneNonce() async throws {
        let digest = DigestServer()
        let server = try LoopbackServer { digest.respond(to: $0) }
        defer { server.stop() }
        let transport = curlTransport()
        defer { transport.invalidate() }
        let fetch = HTTPFetch(transport, credentials: CredentialStore())
        let authenticator = Authenticator(Self.login())
        let handlers = (0..<100).map { index in
            let handler = Recorder()
            _ = fetch.start(request(server.url("/\(index)")), hooks: authenticator.hooks, handler: handler)
            return handler
        }
        for handler in handlers {
            _ = try await handler.result().get()
            #expect(handler.now.head?.statusCode == 200)
        }
    }
}
