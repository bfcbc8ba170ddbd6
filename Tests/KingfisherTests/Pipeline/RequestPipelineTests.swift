import Foundation
import FoundationNetworking
import KingfisherImage
import KingfisherTransport
import Testing

@testable import Kingfisher

/// The order of the stages of a request, without disk, network and clock.
@Suite struct RequestPipelineTests {
    private typealias Script = ScriptedStages.Script

    private let source = Self.source("first")
    private let image: KFCrossPlatformImage
    private let other: KFCrossPlatformImage
    private let broken = KingfisherError.requestError(reason: .emptyRequest)
    private let input = ProcessingInput(.data(Data([1, 2, 3])))
    private let freshness = HTTPFreshness(receivedAt: Date(timeIntervalSince1970: 0))
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
        script.fetched = [.success(.bytes(input, nil, nil))]
        script.fetchedImage = .success(.made(image, original: nil))
        change(&script)
        return script
    }

    /// A script whose disk has a stale file of `image`, by default of `other`.
    private func staleScript(
        _ reuse: HTTPFreshness.Reuse, of image: KFCrossPlatformImage? = nil,
        _ change: (inout Script) -> Void = { _ in }
    ) -> Script {
        script {
            $0.processed = .success(file(image ?? other, stale: true))
            $0.reuse = reuse
            change(&$0)
        }
    }

    /// A script whose disk has the original.
    private func originalScript(
        _ processing: ProcessingInput.Outcome, _ change: (inout Script) -> Void = { _ in }
    ) -> Script {
        script {
            $0.original = .success(original())
            $0.processing = .success(processing)
            change(&$0)
        }
    }

    private func run(_ script: Script, from hit: MemoryHit? = nil) async -> ScriptedRequest {
        await run(["first": script], from: hit)
    }

    /// Runs a request for the source "first".
    private func run(
        _ scripts: [String: Script], alternatives: [String] = [], lowData: String? = nil,
        decisions: [RetryDecision] = [], endsAfter: String? = nil, from hit: MemoryHit? = nil
    ) async -> ScriptedRequest {
        let request = ScriptedRequest(
            source, scripts, alternatives: alternatives.map(Self.source), lowData: lowData.map(Self.source),
            decisions: decisions, endsAfter: endsAfter)
        await RequestPipeline(request: request).run(from: hit)
        return request
    }

    private func file(_ image: KFCrossPlatformImage, stale: Bool = false) -> CacheHit {
        CacheHit(.processed(ProcessingInput(.image(image)), .memory), stale ? freshness : nil)
    }

    private func original(stale: Bool = false) -> CacheHit {
        CacheHit(.original(input), stale ? freshness : nil)
    }

    // MARK: Memory, disk and tiers

    @Test("A memory hit is delivered without any other stage")
    func memoryHit() async throws {
        let request = await run(script { _ in }, from: .ready(other))
        #expect(request.steps == ["begin first", "finish"])
        #expect(try request.result?.get().image === other)
        #expect(try request.result?.get().cacheType == .memory)
    }

    @Test("Without a hit the stages are disk, tiers, original, its tiers, source and store")
    func coldPath() async throws {
        let request = await run(script { _ in })
        #expect(
            request.steps == [
                "begin first", "disk", "tiers", "original", "original in tiers", "fetch", "process",
                "store", "finish",
            ])
        #expect(try request.result?.get().cacheType == CacheType.none)
    }

    @Test("Without a processor no original is looked up")
    func noProcessor() async {
        let request = await run(script { $0.hasProcessor = false })
        #expect(request.steps == ["begin first", "disk", "tiers", "fetch", "process", "store", "finish"])
    }

    @Test(
        "forceRefresh uses only the source; fromMemoryCacheOrRefresh skips the tiers"
    )
    func skippedStages() async {
        let forced = await run(script { $0.options.forceRefresh = true })
        #expect(forced.steps == ["begin first", "fetch", "process", "store", "finish"])
        let memoryOnly = await run(script { $0.options.fromMemoryCacheOrRefresh = true })
        #expect(
            memoryOnly.steps == ["begin first", "disk", "original", "fetch", "process", "store", "finish"])
    }

    @Test("A disk hit is promoted to memory and delivered, and ends the request")
    func diskHit() async throws {
        let request = await run(script { $0.processed = .success(file(other)) })
        #expect(request.steps == ["begin first", "disk", "decode", "promote", "finish"])
        #expect(try request.result?.get().image === other)
        #expect(try request.result?.get().cacheType == .disk)
    }

    @Test("A file that was replaced concurrently is delivered but not promoted")
    func replacedFile() async {
        let script = script {
            $0.processed = .success(file(other))
            $0.isUnchanged = false
        }
        #expect(await run(script).steps == ["begin first", "disk", "decode", "finish"])
    }

    @Test("A tier hit is delivered as a disk hit")
    func tierHit() async throws {
        let request = await run(script { $0.tier = .success(.hit(file(other))) })
        #expect(request.steps == ["begin first", "disk", "tiers", "decode", "promote", "finish"])
        #expect(try request.result?.get().cacheType == .disk)
    }

    @Test(
        "A stale tier entry is delivered, and renewed afterwards if there is a lease",
        arguments: [true, false])
    func staleTier(hasLease: Bool) async {
        let leases = TierLeases(TierKey(cacheKey: "first"))
        if hasLease { leases.add(TierLease(token: "t"), of: EmptyTier(), at: 0) }
        let entry = CacheHit(.processed(ProcessingInput(.image(other)), .nowhere), nil)
        let request = await run(script { $0.tier = .success(.stale(entry, leases)) })
        #expect(
            request.steps
                == ["begin first", "disk", "tiers", "decode", "finish"]
                + (hasLease ? ["renew with leases"] : []))
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

    @Test("An original from disk or from a tier is processed and stored", arguments: [false, true])
    func originalHit(inTiers: Bool) async throws {
        let request = await run(
            originalScript(.made(other, original: nil)) {
                guard inTiers else { return }
                $0.tierOriginal = $0.original
                $0.original = .success(nil)
            })
        let looks = inTiers ? ["original", "original in tiers"] : ["original"]
        #expect(
            request.steps == ["begin first", "disk", "tiers"] + looks
                + ["process original", "store", "finish"])
        #expect(try request.result?.get().image === other)
    }

    @Test("An unreadable original is fetched again; an original that the processor refuses is an error")
    func badOriginals() async {
        let unreadable = await run(originalScript(.unreadable))
        #expect(
            unreadable.steps.suffix(6) == [
                "process original", "original in tiers", "fetch", "process", "store", "finish",
            ])
        let refused = await run(originalScript(.refused(input.item)))
        #expect(refused.result?.failure?.reasonName == "processingFailed")
        #expect(refused.steps.suffix(3) == ["process original", "end", "finish"])
    }

    @Test("An image of an original that was replaced concurrently is delivered but not stored")
    func replacedOriginal() async {
        let request = await run(originalScript(.made(other, original: nil)) { $0.isUnchanged = false })
        #expect(request.steps.suffix(2) == ["process original", "finish"])
    }

    // MARK: The source

    @Test("Bytes of a provider are processed and stored; undecodable bytes are an error")
    func providerBytes() async {
        let made = await run(script { $0.fetchedImage = .success(.made(other, original: nil)) })
        #expect(made.steps.suffix(4) == ["fetch", "process", "store", "finish"])
        let unreadable = await run(script { $0.fetchedImage = .success(.unreadable) })
        #expect(unreadable.result?.failure?.reasonName == "processingFailed")
    }

    @Test("An image that was cached concurrently is delivered instead of a download")
    func cachedConcurrently() async throws {
        let hit = CacheHit(.memory(.ready(other)), nil)
        let request = await run(script { $0.fetched = [.success(.inCache(hit))] })
        #expect(request.steps.suffix(2) == ["fetch", "finish"])
        #expect(try request.result?.get().image === other)
    }

    @Test("An image that must not be cached is delivered but not stored")
    func unstorable() async {
        let request = await run(script { $0.mayStore = false })
        #expect(request.steps.suffix(3) == ["fetch", "process", "finish"])
    }

    // MARK: Freshness

    @Test("A stale file is revalidated; a 304 delivers the file, a 200 replaces it")
    func revalidation() async throws {
        let confirmed = await run(
            staleScript(.revalidate) {
                $0.fetched = [.success(.notModified(arrival))]
                $0.confirmation = freshness
            })
        #expect(
            confirmed.steps == [
                "begin first", "disk", "memory again", "trace", "fetch if changed", "confirm", "decode",
                "promote", "finish",
            ])
        #expect(try confirmed.result?.get().image === other)
        let replaced = await run(staleScript(.revalidate))
        #expect(replaced.steps.suffix(4) == ["fetch if changed", "process", "store", "finish"])
        #expect(try replaced.result?.get().image === image)
    }

    @Test("A 304 for other bytes causes an unconditional request")
    func foreignConfirmation() async throws {
        let request = await run(
            staleScript(.revalidate) {
                $0.fetched = [.success(.notModified(arrival)), .success(.bytes(input, nil, nil))]
            })
        #expect(request.steps.suffix(5) == ["fetch if changed", "fetch whole", "process", "store", "finish"])
        #expect(try request.result?.get().image === image)
    }

    @Test("A stale original that was fetched again is stored with the image")
    func staleOriginal() async {
        let request = await run(
            script {
                $0.original = .success(original(stale: true))
                $0.reuse = .revalidate
            })
        #expect(request.steps.suffix(4) == ["fetch if changed", "process", "store with original", "finish"])
    }

    @Test("stale-while-revalidate delivers first and revalidates afterwards")
    func renewal() async throws {
        let request = await run(staleScript(.staleWhileRevalidate))
        #expect(request.steps.suffix(3) == ["promote", "finish", "renew by asking"])
        #expect(try request.result?.get().image === other)
    }

    @Test("An unusable stale entry is fetched again; a newer image in memory is used")
    func unusable() async throws {
        let unusable = await run(staleScript(.unusable))
        #expect(unusable.steps.suffix(5) == ["memory again", "fetch", "process", "store", "finish"])
        let newer = await run(
            staleScript(.revalidate, of: image) {
                $0.newer = CacheHit(.memory(.ready(other)), freshness)
            })
        #expect(newer.steps.suffix(2) == ["memory again", "finish"])
        #expect(try newer.result?.get().image === other)
    }

    @Test("A failed revalidation delivers the stale file if allowed, otherwise the error")
    func staleIfError() async throws {
        let failing = staleScript(.revalidate) {
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

    @Test("Alternatives are loaded in order from the memory cache on; the last error lists all failures")
    func alternatives() async throws {
        let failing = script { $0.fetched = [.failure(broken)] }
        let request = await run(["first": failing, "a": failing, "b": failing], alternatives: ["a", "b"])
        #expect(request.steps.filter { $0.hasPrefix("begin") } == ["begin first", "begin a", "begin b"])
        #expect(request.steps.filter { $0 == "memory" }.count == 2)
        #expect(request.result?.failure?.reasonName == "alternativeSourcesExhausted")
        let better = await run(["first": failing, "a": script { _ in }], alternatives: ["a", "b"])
        #expect(try better.result?.get().source.cacheKey == "a")
    }

    @Test("A metered network uses the low-data source without asking the strategy")
    func lowData() async throws {
        let constrained = KingfisherError.constrained(URL(filePath: "/"))
        let request = await run(
            ["first": script { $0.fetched = [.failure(constrained)] }, "light": script { _ in }],
            lowData: "light", decisions: [.retry(userInfo: nil)])
        #expect(!request.steps.contains("ask strategy"))
        #expect(try request.result?.get().source.cacheKey == "light")
    }

    @Test("A retry starts with the first source again, a stop proceeds to the alternatives")
    func retries() async throws {
        let failing = script { $0.fetched = [.failure(broken)] }
        let request = await run(
            ["first": failing, "a": script { _ in }], alternatives: ["a"],
            decisions: [.retry(userInfo: nil), .stop])
        #expect(
            request.steps.filter { $0.hasPrefix("begin") || $0 == "ask strategy" }
                == ["begin first", "ask strategy", "begin first", "ask strategy", "begin a"])
        #expect(try request.result?.get().source.cacheKey == "a")
    }

    @Test(
        "A superseded request asks neither a strategy nor an alternative",
        arguments: ["fetch", "ask strategy"])
    func superseded(after step: String) async {
        let failing = script { $0.fetched = [.failure(broken)] }
        let request = await run(
            ["first": failing], alternatives: ["a"], decisions: [.retry(userInfo: nil)], endsAfter: step)
        #expect(request.steps.filter { $0.hasPrefix("begin") } == ["begin first"])
        #expect(request.steps.contains("ask strategy") == (step == "ask strategy"))
        #expect(request.result?.failure?.reasonName == "emptyRequest")
    }

    @Test("A cancelled source ends the request without alternatives")
    func cancelled() async {
        let error = KingfisherError.cancelled(source, task: nil)
        let request = await run(
            ["first": script { $0.processed = .failure(error) }], alternatives: ["a"],
            decisions: [.retry(userInfo: nil)])
        #expect(request.steps == ["begin first", "disk", "end", "finish"])
        #expect(request.result?.failure?.isTaskCancelled == true)
    }

    @Test("A renewal revalidates the old response or stores a new entry with its leases")
    func renewals() async {
        let asking = ScriptedRequest(source, ["first": script { _ in }])
        await RequestPipeline(request: asking).renew(.revalidation(file(other, stale: true)))
        #expect(asking.steps == ["begin first", "trace", "fetch if changed", "process", "store", "finish"])
        let leases = TierLeases(TierKey(cacheKey: "first"))
        let making = ScriptedRequest(source, ["first": script { _ in }])
        await RequestPipeline(request: making).renew(.replacement(leases))
        #expect(making.steps == ["begin first", "keep leases", "fetch", "process", "store", "finish"])
    }
}
