import Foundation
import KingfisherImage
import KingfisherTransport
import Synchronization

@testable import Kingfisher

/// Stages with scripted results and without disk, network or clock. Records the calls.
final class ScriptedStages: PipelineStages {
    typealias Answer<Value> = Result<Value, KingfisherError>

    struct Script: Sendable {
        var options = KingfisherParsedOptionsInfo(nil)
        var hasProcessor = true
        var memory: CacheHit?
        var newer: CacheHit?
        var processed: Answer<CacheHit?> = .success(nil)
        var tier: Answer<TierHit?> = .success(nil)
        var original: Answer<CacheHit?> = .success(nil)
        var tierOriginal: Answer<CacheHit?> = .success(nil)
        /// Results of consecutive calls; the last one repeats.
        var fetched: [Answer<FetchOutcome>] = []
        var fetchedImage: Answer<ProcessingInput.Outcome> = .success(.unreadable)
        var processing: Answer<ProcessingInput.Outcome> = .success(.unreadable)
        var reuse = HTTPFreshness.Reuse.fresh
        var confirmation: HTTPFreshness?
        var confirming: Answer<Bool> = .success(true)
        var allowsStale = false
        var isUnchanged = true
        var mayStore = true
    }

    let source: Source
    let script: Script
    private let log: Locked<[String]>
    private let fetches = Locked(0)

    init(_ source: Source, _ script: Script, _ log: Locked<[String]>) {
        self.source = source
        self.script = script
        self.log = log
    }

    var skipsCaches: Bool { script.options.forceRefresh }
    var readsMemoryOnly: Bool { script.options.fromMemoryCacheOrRefresh }
    var hasProcessor: Bool { script.hasProcessor }

    private func note(_ text: String) { log.withLock { $0.append(text) } }

    private func noted<Value>(_ text: String, _ answer: Answer<Value>) throws(KingfisherError) -> Value {
        note(text)
        return try answer.get()
    }

    func cacheHit(_ hit: MemoryHit) -> CacheHit { CacheHit(.memory(hit), nil) }

    func imageInMemory() -> CacheHit? {
        note("memory")
        return script.memory
    }

    func usableImageInMemory() -> CacheHit? {
        note("memory again")
        return script.newer
    }

    func processedImage() async throws(KingfisherError) -> CacheHit? {
        try noted("disk", script.processed)
    }

    func processedInTiers() async throws(KingfisherError) -> TierHit? { try noted("tiers", script.tier) }

    func originalInCaches() async throws(KingfisherError) -> CacheHit? {
        try noted("original", script.original)
    }

    func originalInTiers() async throws(KingfisherError) -> CacheHit? {
        try noted("original in tiers", script.tierOriginal)
    }

    func fetch(insteadOf stale: CacheHit?) async throws(KingfisherError) -> FetchOutcome {
        let condition = stale.map { $0.hasValidators ? " if changed" : " whole" } ?? ""
        let turn = fetches.withLock { fetches in
            defer { fetches += 1 }
            return fetches
        }
        return try noted("fetch" + condition, script.fetched[min(turn, script.fetched.count - 1)])
    }

    func image(
        of fetched: ProcessingInput, _ arrival: ResponseArrival?, by download: Download?
    ) async throws(KingfisherError) -> NewImage {
        guard case .made(let image, let original) = try noted("process", script.fetchedImage) else {
            throw processingFailure(of: fetched.item)
        }
        return NewImage(image: image, original: original)
    }

    func process(
        _ input: ProcessingInput, as kind: ProcessingInput.Kind
    ) async throws(KingfisherError) -> ProcessingInput.Outcome {
        guard kind == .processed, case .image(let image) = input.item else {
            return try noted("process original", script.processing)
        }
        return try noted("decode", .success(.made(image, original: nil)))
    }

    func image(of hit: MemoryHit) async throws(KingfisherError) -> KFCrossPlatformImage { hit.stored }

    func mayStore(_ new: NewImage) -> Bool { script.mayStore }

    func store(_ new: NewImage, replacesOriginal: Bool) async {
        note(replacesOriginal ? "store with original" : "store")
    }

    func imageStoredMeanwhile() -> CacheHit? { nil }

    func keep(_ image: KFCrossPlatformImage, of hit: CacheHit, in place: CacheHit.Place) {
        if case .nowhere = place {} else { note("promote") }
    }

    func reuse(of hit: CacheHit) -> HTTPFreshness.Reuse {
        hit.freshness == nil ? .fresh : script.reuse
    }

    func withSnapshot(_ hit: CacheHit) -> CacheHit {
        note("trace")
        return hit.with(CacheSnapshot(entries: []))
    }

    func isUnchanged(_ hit: CacheHit) -> Bool { script.isUnchanged }
    func isStorable(_ hit: CacheHit) -> Bool { hit.freshness?.isStorable ?? true }

    func confirmed(_ hit: CacheHit, by arrival: ResponseArrival) -> CacheHit? {
        hit.hasValidators ? script.confirmation.map { hit.with($0) } : nil
    }

    func store(
        confirmed: CacheHit, insteadOf hit: CacheHit, _ arrival: ResponseArrival
    ) async throws(KingfisherError) {
        _ = try noted("confirm", script.confirming)
    }

    func allowsStale(_ hit: CacheHit, after error: KingfisherError) -> Bool { script.allowsStale }

    func forget(_ hit: CacheHit, after error: KingfisherError) { note("forget") }

    func keep(_ leases: TierLeases) { note("keep leases") }

    func renew(_ renewal: Renewal) {
        switch renewal {
        case .revalidation: note("renew by asking")
        case .replacement: note("renew with leases")
        }
    }

    func end(with error: KingfisherError) { note("end") }

    func result(_ image: KFCrossPlatformImage, from type: CacheType, then renewal: Renewal?) -> PipelineResult
    {
        PipelineResult(.cached(image, type, source, for: source, script.options), renewal: renewal)
    }

    func processingFailure(of item: ImageProcessItem) -> KingfisherError {
        .processorError(reason: .processingFailed(processor: script.options.processor, item: item))
    }

    func result(_ new: NewImage, then renewal: Renewal?) -> PipelineResult {
        PipelineResult(
            RetrieveImageResult(
                image: new.image, cacheType: .none, source: source, originalSource: source, data: { nil }),
            renewal: renewal)
    }
}

/// A request whose sources have scripted stages.
final class ScriptedRequest: RequestPipeline.Request {
    let source: Source
    let failoverPlan: FailoverPlan
    private let scripts: [String: ScriptedStages.Script]
    private let decisions: Locked<[RetryDecision]>
    private let log = Locked<[String]>([])
    private let outcome = Locked<Result<RetrieveImageResult, KingfisherError>?>(nil)
    /// Ends the request after this step: superseded, or cancelled.
    private let endsAfter: String?

    init(
        _ source: Source, _ scripts: [String: ScriptedStages.Script], alternatives: [Source] = [],
        lowData: Source? = nil, decisions: [RetryDecision] = [], endsAfter: String? = nil
    ) {
        self.source = source
        self.scripts = scripts
        self.endsAfter = endsAfter
        self.decisions = Locked(decisions)
        failoverPlan = FailoverPlan(
            alternatives: alternatives, lowDataSource: lowData, hasStrategy: !decisions.isEmpty)
    }

    /// The recorded steps, in order.
    var steps: [String] { log.withLock { $0 } }

    var result: Result<RetrieveImageResult, KingfisherError>? { outcome.withLock { $0 } }

    var isWanted: Bool { endsAfter.map { !steps.contains($0) } ?? true }

    func begin(_ source: Source, _ plan: FailoverPlan) -> any PipelineStages {
        log.withLock { $0.append("begin \(source.cacheKey)") }
        return ScriptedStages(source, scripts[source.cacheKey] ?? ScriptedStages.Script(), log)
    }

    func decision(after failure: PropagationError) async throws(KingfisherError) -> RetryDecision {
        log.withLock { $0.append("ask strategy") }
        guard isWanted else { throw failure.error }
        return decisions.withLock { $0.isEmpty ? .stop : $0.removeFirst() }
    }

    func finish(with result: PipelineResult) -> Bool { end(.success(result.result)) }

    func fail(with error: KingfisherError) { _ = end(.failure(error)) }

    private func end(_ outcome: Result<RetrieveImageResult, KingfisherError>) -> Bool {
        log.withLock { $0.append("finish") }
        return self.outcome.withLock { known in
            defer { known = known ?? outcome }
            return known == nil
        }
    }
}

/// A tier without content; its leases end with the test.
struct EmptyTier: CacheTier {
    let name = "none"
    var keepsOriginals: Bool { false }

    func read(_ key: TierKey) async throws(TierError) -> TierReading { .absent(nil) }
    func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError) {}
    func remove(_ key: TierKey) async throws(TierError) {}
    func release(_ lease: TierLease, for key: TierKey) async {}
}
