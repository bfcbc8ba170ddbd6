import Foundation
import FoundationNetworking
import KingfisherImage
import KingfisherTransport
import Testing

@testable import Kingfisher

/// What happens to a request, in which order; without disk, network and clock.
@Suite struct RouteTests {
    private typealias Script = ScriptedStages.Script

    private let source = Self.source("first")
    private let image: KFCrossPlatformImage
    private let other: KFCrossPlatformImage
    private let broken = KingfisherError.requestError(reason: .emptyRequest)
    private let bytes = ProcessingInput(.data(Data([1, 2, 3])))
    private let freshness = HTTPFreshness(receivedAt: Date(timeIntervalSince1970: 0))
    /// A 304.
    private let arrival: ResponseArrival

    init() throws {
        let response = HTTPURLResponse(
            url: URL(filePath: "/"), statusCode: 304, httpVersion: nil, headerFields: nil)
        arrival = ResponseArrival(TransportResponse(try #require(response)), to: nil, startedAt: .now)
        image = try Image.blank()
        other = try Image.blank()
    }

    private static func source(_ name: String) -> Source {
        .network(KF.ImageResource(downloadURL: URL(filePath: "/"), cacheKey: name))
    }

    private func script(_ change: (inout Script) -> Void) -> Script {
        var script = Script()
        script.fetched = [.success(.image(NewImage(image: image, original: nil)))]
        change(&script)
        return script
    }

    private func run(_ script: Script, from hit: MemoryHit? = nil, endsAfter: String? = nil) async
        -> ScriptedRequest
    {
        let request = ScriptedRequest(source, ["first": script], endsAfter: endsAfter)
        await Route(request: request).run(from: hit)
        return request
    }

    private func file(_ image: KFCrossPlatformImage, stale: Bool = false) -> CachedAnswer {
        CachedAnswer(.file(image, isPromoted: true), stale ? freshness : nil)
    }

    private func original(stale: Bool = false) -> CachedAnswer {
        CachedAnswer(.original(bytes), stale ? freshness : nil)
    }

    // MARK: Memory, disk and tiers

    @Test("A hit in memory is delivered without a look at anything else")
    func memoryHit() async throws {
        let request = await run(script { _ in }, from: .ready(other))
        #expect(request.steps == ["begin first", "finish"])
        #expect(try request.result?.get().image === other)
        #expect(try request.result?.get().cacheType == .memory)
    }

    @Test("Without any hit: disk, tiers, original, its tiers, source, store")
    func coldPath() async throws {
        let request = await run(script { _ in })
        #expect(
            request.steps == [
                "begin first", "disk", "tiers", "original", "original in tiers", "fetch", "store", "finish",
            ])
        #expect(try request.result?.get().cacheType == CacheType.none)
    }

    @Test("Without a processor there is no original to look for")
    func noProcessor() async {
        let request = await run(script { $0.hasProcessor = false })
        #expect(request.steps == ["begin first", "disk", "tiers", "fetch", "store", "finish"])
    }

    @Test(
        "forceRefresh goes to the source at once; fromMemoryCacheOrRefresh passes tiers and their originals over"
    )
    func skippedStages() async {
        let forced = await run(script { $0.options.forceRefresh = true })
        #expect(forced.steps == ["begin first", "fetch", "store", "finish"])
        let memoryOnly = await run(script { $0.options.fromMemoryCacheOrRefresh = true })
        #expect(memoryOnly.steps == ["begin first", "disk", "original", "fetch", "store", "finish"])
    }

    @Test("A file on disk is put into memory and delivered; nothing comes after it")
    func diskHit() async throws {
        let request = await run(script { $0.processed = .success(file(other)) })
        #expect(request.steps == ["begin first", "disk", "promote", "finish"])
        #expect(try request.result?.get().image === other)
        #expect(try request.result?.get().cacheType == .disk)
    }

    @Test("A file that was replaced meanwhile is delivered, but not put into memory")
    func replacedFile() async {
        let script = script {
            $0.processed = .success(file(other))
            $0.isUnchanged = false
        }
        #expect(await run(script).steps == ["begin first", "disk", "finish"])
    }

    @Test("A tier's hit is delivered as one of the disk")
    func tierHit() async throws {
        let request = await run(script { $0.tier = .success(.hit(file(other))) })
        #expect(request.steps == ["begin first", "disk", "tiers", "promote", "finish"])
        #expect(try request.result?.get().cacheType == .disk)
    }

    @Test(
        "A tier's stale entry is delivered and, with a lease, renewed after that", arguments: [true, false])
    func staleTier(hasLease: Bool) async {
        let leases = TierLeases(TierKey(cacheKey: "first"))
        if hasLease { leases.add(TierLease(token: "t"), of: NoTier(), at: 0) }
        let entry = CachedAnswer(.file(other, isPromoted: false), nil)
        let request = await run(script { $0.tier = .success(.stale(entry, leases)) })
        #expect(
            request.steps
                == ["begin first", "disk", "tiers", "finish"] + (hasLease ? ["renew with leases"] : []))
    }

    @Test("An error of a stage ends the request with that error", arguments: ["disk", "tiers", "original"])
    func failingStage(_ stage: String) async {
        let request = await run(
            script {
                switch stage {
                case "disk": $0.processed = .failure(broken)
                case "tiers": $0.tier = .failure(broken)
                default: $0.original = .failure(broken)
                }
            })
        #expect(request.result?.failure?.reasonName == "emptyRequest")
        #expect(request.steps.suffix(3) == [stage, "end", "finish"])
    }

    // MARK: Originals

    @Test("An original is processed and stored; a tier's, too", arguments: [false, true])
    func originalHit(inTiers: Bool) async throws {
        let request = await run(
            script {
                if inTiers {
                    $0.tierOriginal = .success(original())
                } else {
                    $0.original = .success(original())
                }
                $0.making = .success(.made(other, original: nil))
            })
        let looks = inTiers ? ["original", "original in tiers"] : ["original"]
        #expect(
            request.steps == ["begin first", "disk", "tiers"] + looks
                + ["process original", "store", "finish"])
        #expect(try request.result?.get().image === other)
    }

    @Test("An original that cannot be read is fetched again; one that the processor refuses is an error")
    func badOriginals() async {
        let unreadable = await run(
            script {
                $0.original = .success(original())
                $0.making = .success(.unreadable)
            })
        #expect(unreadable.steps.suffix(4) == ["process original", "fetch", "store", "finish"])
        let refused = await run(
            script {
                $0.original = .success(original())
                $0.making = .success(.refused(bytes.item))
            })
        #expect(refused.result?.failure?.reasonName == "processingFailed")
        #expect(refused.steps.suffix(3) == ["process original", "end", "finish"])
    }

    @Test("What was made of an original that was replaced meanwhile is delivered, but not stored")
    func replacedOriginal() async {
        let request = await run(
            script {
                $0.original = .success(original())
                $0.making = .success(.made(other, original: nil))
                $0.isUnchanged = false
            })
        #expect(request.steps.suffix(2) == ["process original", "finish"])
    }

    // MARK: The source

    @Test("A provider's bytes are processed and stored; those that are no image are an error")
    func providerBytes() async {
        let made = await run(
            script {
                $0.fetched = [.success(.bytes(bytes))]
                $0.making = .success(.made(other, original: nil))
            })
        #expect(made.steps.suffix(4) == ["fetch", "process", "store", "finish"])
        let unreadable = await run(script { $0.fetched = [.success(.bytes(bytes))] })
        #expect(unreadable.result?.failure?.reasonName == "processingFailed")
    }

    @Test("An image that came to the cache meanwhile is delivered in place of a download")
    func inCacheMeanwhile() async throws {
        let hit = CachedAnswer(.memory(.ready(other)), nil)
        let request = await run(script { $0.fetched = [.success(.inCache(hit))] })
        #expect(request.steps.suffix(2) == ["fetch", "finish"])
        #expect(try request.result?.get().image === other)
    }

    @Test("An image that caches may not keep is delivered, but not stored")
    func unstorable() async {
        let request = await run(script { $0.mayStore = false })
        #expect(request.steps.suffix(2) == ["fetch", "finish"])
    }

    // MARK: Freshness

    @Test("A stale file: its server is asked; a 304 delivers the file, a 200 replaces it")
    func revalidation() async throws {
        let confirmed = await run(
            script {
                $0.processed = .success(file(other, stale: true))
                $0.reuse = .revalidate
                $0.fetched = [.success(.confirmation(arrival))]
                $0.confirmation = freshness
            })
        #expect(
            confirmed.steps == [
                "begin first", "disk", "memory again", "trace", "fetch if changed", "confirm", "promote",
                "finish",
            ])
        #expect(try confirmed.result?.get().image === other)
        let replaced = await run(
            script {
                $0.processed = .success(file(other, stale: true))
                $0.reuse = .revalidate
            })
        #expect(replaced.steps.suffix(3) == ["fetch if changed", "store", "finish"])
        #expect(try replaced.result?.get().image === image)
    }

    @Test("A 304 about other bytes: a whole image is asked for")
    func foreignConfirmation() async throws {
        let request = await run(
            script {
                $0.processed = .success(file(other, stale: true))
                $0.reuse = .revalidate
                $0.fetched = [
                    .success(.confirmation(arrival)),
                    .success(.image(NewImage(image: image, original: nil))),
                ]
            })
        #expect(request.steps.suffix(4) == ["fetch if changed", "fetch whole", "store", "finish"])
        #expect(try request.result?.get().image === image)
    }

    @Test("A stale original that was fetched again is stored with the image")
    func staleOriginal() async {
        let request = await run(
            script {
                $0.original = .success(original(stale: true))
                $0.reuse = .revalidate
            })
        #expect(request.steps.suffix(3) == ["fetch if changed", "store with original", "finish"])
    }

    @Test("stale-while-revalidate delivers first and asks the server after that")
    func renewal() async throws {
        let request = await run(
            script {
                $0.processed = .success(file(other, stale: true))
                $0.reuse = .staleWhileRevalidate
            })
        #expect(request.steps.suffix(3) == ["promote", "finish", "renew by asking"])
        #expect(try request.result?.get().image === other)
    }

    @Test("An answer to another request is of no use; a newer image in memory is")
    func unusable() async throws {
        let unusable = await run(
            script {
                $0.processed = .success(file(other, stale: true))
                $0.reuse = .unusable
            })
        #expect(unusable.steps.suffix(4) == ["memory again", "fetch", "store", "finish"])
        let newer = await run(
            script {
                $0.processed = .success(file(image, stale: true))
                $0.reuse = .revalidate
                $0.newer = CachedAnswer(.memory(.ready(other)), freshness)
            })
        #expect(newer.steps.suffix(2) == ["memory again", "finish"])
        #expect(try newer.result?.get().image === other)
    }

    @Test("A failed question: the stale file where its server allows that, the error where not")
    func staleIfError() async throws {
        let failing = script {
            $0.processed = .success(file(other, stale: true))
            $0.reuse = .revalidate
            $0.fetched = [.failure(broken)]
            $0.allowsStale = true
        }
        let allowed = await run(failing)
        #expect(try allowed.result?.get().image === other)
        var strict = failing
        strict.allowsStale = false
        let forbidden = await run(strict)
        #expect(forbidden.steps.suffix(4) == ["fetch if changed", "forget", "end", "finish"])
        #expect(forbidden.result?.failure?.reasonName == "emptyRequest")
    }

    // MARK: Failures

    @Test("Alternatives are loaded in their order, each from memory on; the last error has all of them")
    func alternatives() async throws {
        let failing = script { $0.fetched = [.failure(broken)] }
        let request = ScriptedRequest(
            source, ["first": failing, "a": failing, "b": failing],
            alternatives: ["a", "b"].map(Self.source))
        await Route(request: request).run(from: nil)
        #expect(request.steps.filter { $0.hasPrefix("begin") } == ["begin first", "begin a", "begin b"])
        #expect(request.steps.filter { $0 == "memory" }.count == 2)
        #expect(request.result?.failure?.reasonName == "alternativeSourcesExhausted")
        let better = ScriptedRequest(
            source, ["first": failing, "a": script { _ in }], alternatives: ["a", "b"].map(Self.source))
        await Route(request: better).run(from: nil)
        #expect(try better.result?.get().source.cacheKey == "a")
    }

    @Test("A metered network: the lighter source, of which no strategy is asked")
    func lowData() async throws {
        let constrained = KingfisherError.constrained(URL(filePath: "/"))
        let request = ScriptedRequest(
            source, ["first": script { $0.fetched = [.failure(constrained)] }, "light": script { _ in }],
            lowData: Self.source("light"), decisions: [.retry(userInfo: nil)])
        await Route(request: request).run(from: nil)
        #expect(!request.steps.contains("ask strategy"))
        #expect(try request.result?.get().source.cacheKey == "light")
    }

    @Test("The strategy decides: a retry begins with the first source again, a stop goes to alternatives")
    func retries() async throws {
        let failing = script { $0.fetched = [.failure(broken)] }
        let request = ScriptedRequest(
            source, ["first": failing, "a": script { _ in }], alternatives: [Self.source("a")],
            decisions: [.retry(userInfo: nil), .stop])
        await Route(request: request).run(from: nil)
        #expect(
            request.steps.filter { $0.hasPrefix("begin") || $0 == "ask strategy" }
                == ["begin first", "ask strategy", "begin first", "ask strategy", "begin a"])
        #expect(try request.result?.get().source.cacheKey == "a")
    }

    @Test(
        "A request that is no longer wanted: neither a strategy nor an alternative is asked",
        arguments: ["fetch", "ask strategy"])
    func superseded(after step: String) async {
        let failing = script { $0.fetched = [.failure(broken)] }
        let request = ScriptedRequest(
            source, ["first": failing], alternatives: [Self.source("a")],
            decisions: [.retry(userInfo: nil)], endsAfter: step)
        await Route(request: request).run(from: nil)
        #expect(request.steps.filter { $0.hasPrefix("begin") } == ["begin first"])
        #expect(request.steps.contains("ask strategy") == (step == "ask strategy"))
        #expect(request.result?.failure?.reasonName == "emptyRequest")
    }

    @Test("A cancelled source ends the request; nothing stands in for it")
    func cancelled() async {
        let error = KingfisherError.cancelled(source, task: nil)
        let request = ScriptedRequest(
            source, ["first": script { $0.processed = .failure(error) }],
            alternatives: [Self.source("a")], decisions: [.retry(userInfo: nil)])
        await Route(request: request).run(from: nil)
        #expect(request.steps == ["begin first", "disk", "end", "finish"])
        #expect(request.result?.failure?.isTaskCancelled == true)
    }

    @Test("A renewal asks the server about the old answer, or makes a new entry with its leases")
    func renewals() async {
        let asking = ScriptedRequest(source, ["first": script { _ in }])
        await Route(request: asking).renew(.revalidation(file(other, stale: true)))
        #expect(asking.steps == ["begin first", "trace", "fetch if changed", "store", "finish"])
        let leases = TierLeases(TierKey(cacheKey: "first"))
        let making = ScriptedRequest(source, ["first": script { _ in }])
        await Route(request: making).renew(.replacement(leases))
        #expect(making.steps == ["begin first", "keep leases", "fetch", "store", "finish"])
    }
}
