import Foundation
import FoundationNetworking
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

/// Concurrent requests of different callers for one URL.
@Suite struct CallerIdentityTests {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    /// Downloads with each modifier at the same time, and returns the requests of the transfers.
    private func requests(_ modifiers: [AnyModifier?]) async throws -> [URLRequest] {
        let bench = try Bench()
        bench.stub.hold()
        let inbox = Inbox<Outcome>()
        for modifier in modifiers {
            let options: KingfisherOptionsInfo = modifier.map { [.requestModifier($0)] } ?? []
            bench.downloader.downloadImage(with: bench.url, options: options) { inbox.put($0) }
        }
        bench.stub.release()
        #expect(try await inbox.first(modifiers.count).allSatisfy { reason($0) == nil })
        return bench.stub.requests
    }

    @Test(
        "Requests with different header fields have separate transfers, equal ones share one",
        .behaviours("N-1"),
        arguments: ["Authorization", "Cookie", "Accept", "Proxy-Authorization", "X-Other"])
    func fields(field: String) async throws {
        let values: [String?] = ["one", "two", "one", nil]
        let unmodified: [AnyModifier?] = [nil]
        let requests = try await requests(values.map { AnyModifier.setting(field, to: $0) } + unmodified)
        #expect(requests.count == 3)
        #expect(Set(requests.map { $0.value(forHTTPHeaderField: field) }) == ["one", "two", nil])
    }

    @Test("Requests with different methods, bodies, timeouts or use of cookies have separate transfers")
    func otherContent() async throws {
        let changes: [@Sendable (inout URLRequest) -> Void] = [
            { $0.httpMethod = "POST" }, { $0.httpBody = Data([1]) }, { $0.httpShouldHandleCookies = false },
            { $0.timeoutInterval = 3 },
            { ($0.httpMethod, $0.httpBody) = ("POST", Data([1])) },
        ]
        let modifiers = (changes + changes).map { change in
            AnyModifier { request in
                var request = request
                change(&request)
                return request
            }
        }
        #expect(try await requests(modifiers).count == changes.count)
    }

    @Test("The redirect handler of one caller decides for no other caller", .behaviours("N-26"))
    func redirectHandlers() async throws {
        let png = try TestImages.png
        let bench = try Bench { $0.url?.path == "/end" ? .ok(png) : .redirect(to: "/end") }
        bench.stub.hold()
        let inbox = Inbox<Outcome>()
        let users: [String?] = ["alice", "bob", nil]
        for user in users {
            let handler = AnyRedirectHandler { _, _, request, answer in
                var request = request
                request.setValue(user, forHTTPHeaderField: "Authorization")
                answer(request)
            }
            let options: KingfisherOptionsInfo = user == nil ? [] : [.redirectHandler(handler)]
            bench.downloader.downloadImage(with: bench.url, options: options) { inbox.put($0) }
        }
        bench.stub.release()
        #expect(try await inbox.first(3).allSatisfy { reason($0) == nil })
        let last = bench.stub.requests.filter { $0.url?.path == "/end" }
        #expect(last.count == 3)
        #expect(Set(last.map { $0.value(forHTTPHeaderField: "Authorization") }) == Set(users))
    }

    @Test("Cancelling a URL ends all its transfers, and no other", .behaviours("N-4"))
    func cancelURL() async throws {
        let (bench, other) = (try Bench(), Bench.freshURL())
        bench.stub.hold()
        let (cancelled, completed) = (Inbox<Outcome>(), Inbox<Outcome>())
        for value in ["one", "two", nil] {
            let modifier = AnyModifier.setting("Cookie", to: value)
            bench.downloader.downloadImage(with: bench.url, options: [.requestModifier(modifier)]) {
                cancelled.put($0)
            }
        }
        bench.downloader.downloadImage(with: other) { completed.put($0) }
        bench.downloader.cancel(url: bench.url)
        #expect(try await cancelled.first(3).allSatisfy { $0.failure?.isTaskCancelled == true })
        bench.stub.release()
        #expect(reason(try await completed.first()) == nil)
    }

    // MARK: Responses that vary

    /// A server with a private PNG for the value "one" of a field, and a private JPEG for others.
    private func bench(varyingOn field: String) throws -> Bench {
        let (png, jpeg) = (try TestImages.png, try TestImages.jpeg)
        return try Bench { request in
            let isFirst = request.value(forHTTPHeaderField: field) == "one"
            return StubAnswer(
                headers: [
                    "Vary": field, "Cache-Control": "private, max-age=60",
                    "ETag": isFirst ? "\"1\"" : "\"2\"",
                ], body: isFirst ? png : jpeg)
        }
    }

    private func options(_ field: String, _ value: String) -> KingfisherOptionsInfo {
        [
            .httpCaching, .waitForCache, .callbackQueue(.untouch),
            .requestModifier(AnyModifier.setting(field, to: value)),
        ]
    }

    /// Starts both requests, and lets them finish when both images wait to be written to disk.
    private func run<Value: Sendable>(
        _ field: String,
        _ retrieve: (Bench, KingfisherOptionsInfo, @escaping @Sendable (Value?) -> Void) -> Void
    ) async throws -> [Value?] {
        let (bench, valve) = (try bench(varyingOn: field), Valve())
        bench.stub.hold()
        let inboxes = ["one", "two"].map { value in
            let inbox = Inbox<Value?>()
            retrieve(bench, options(field, value)) { inbox.put($0) }
            return inbox
        }
        #expect(await poll { bench.stub.requests.count == 2 })
        let insertions = bench.cache.insertions.count
        bench.cache.diskQueue.run(key: bench.url.cacheKey) { valve.pass() }
        bench.stub.release()
        #expect(await poll { bench.cache.insertions.count == insertions + 2 })
        valve.open()
        return [try await inboxes[0].first(), try await inboxes[1].first()]
    }

    @Test("With Vary, concurrent requests get their own images", arguments: ["Authorization", "Accept"])
    func images(field: String) async throws {
        let found = try await run(field) { bench, options, done in
            bench.manager.retrieveImage(with: bench.url, options: options) {
                done(try? $0.get().data())
            }
        }
        #expect(try found == [TestImages.png, TestImages.jpeg])
    }

    @Test("With Vary, concurrent requests for data get their own data", arguments: ["Cookie", "Accept"])
    func data(field: String) async throws {
        let found = try await run(field) { bench, options, done in
            bench.manager.retrieveData(with: bench.url, options: options) {
                done(try? $0.get().mediaType)
            }
        }
        #expect(found == ["image/png", "image/jpeg"])
    }

    @Test("With Vary, concurrent requests for files get their own files", arguments: ["Cookie", "Accept"])
    func files(field: String) async throws {
        let found = try await run(field) { bench, options, done in
            Task {
                done(try? await bench.manager.retrieveFile(with: bench.url, options: options).mediaType)
            }
        }
        #expect(found == ["image/png", "image/jpeg"])
    }

    // MARK: Known failures

    private func resource(_ rig: AbsenceRig, login: String = "me:secret@") throws -> Source {
        let text = rig.url.absoluteString.replacing("//", with: "//" + login)
        return .network(
            KF.ImageResource(downloadURL: try #require(URL(string: text)), cacheKey: rig.url.cacheKey))
    }

    private func load(
        _ rig: AbsenceRig, _ source: Source, _ options: KingfisherOptionsInfo
    ) async throws -> String {
        let result: AbsenceRig.Outcome = try await outcome {
            rig.manager.retrieveImage(with: source, options: options, completionHandler: $0)
        }
        return reason(result) ?? "image"
    }

    enum Addition: CaseIterable {
        case modifier, userInfo, redirectHandler
    }

    @Test(
        "Requests with a modifier, a redirect handler or user info share no remembered failures",
        arguments: Addition.allCases)
    func failures(of addition: Addition) async throws {
        let (rig, tier) = (try AbsenceRig(), MemoryTier(keepsOriginals: true))
        rig.manager.tiers = [tier]
        let source = try resource(rig, login: addition == .userInfo ? "me:secret@" : "")
        var options: KingfisherOptionsInfo = [.processor(CountingProcessor("p"))]
        switch addition {
        case .modifier: options.append(.requestModifier(AnyModifier.setting("X-Token", to: "1")))
        case .redirectHandler: options.append(.redirectHandler(AnyRedirectHandler { $3($2) }))
        case .userInfo: break
        }
        let failed = "invalidHTTPStatusCode"
        #expect(try await load(rig, source, options) == failed)
        // Not written: the next request asks the server.
        #expect(try await rig.reasons(2) == [failed, "knownFailure"])
        #expect(await poll { tier.failures[rig.key()] != nil })
        #expect(tier.failures.count == 1 && tier.negativeWrites.count == 1)
        // Not read, neither from memory nor from the tier.
        tier.failures[rig.key("p")] = tier.failures[rig.key()]
        #expect(try await load(rig, source, options) == failed)
        rig.serve(.ok(try TestImages.png))
        #expect(try await load(rig, source, options + [.cacheMemoryOnly]) == "image")
        tier.failures = [:]
        // Not forgotten: another request with the same key still knows it.
        #expect(try await rig.reasons(1, [.processor(CountingProcessor("q"))]) == ["knownFailure"])
        #expect(rig.requests == 4)
    }

    @Test("A downloader with credentials in its session configuration shares no remembered failures")
    func failuresOfSession() async throws {
        let rig = try AbsenceRig()
        let failed = "invalidHTTPStatusCode"
        #expect(try await rig.reasons(2) == [failed, "knownFailure"])
        let configuration = rig.manager.downloader.sessionConfiguration
        configuration.httpAdditionalHeaders = ["authorization": "Bearer 1"]
        rig.manager.downloader.sessionConfiguration = configuration
        #expect(try await rig.reasons(2) == [failed, failed])
    }
}
