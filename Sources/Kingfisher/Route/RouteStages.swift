import KingfisherImage
import KingfisherTransport

/// A request as its route sees it: what is asked for, and who waits for the outcome.
protocol RouteRequest: Sendable {
    var source: Source { get }
    var failoverPlan: FailoverPlan { get }
    /// Whether somebody still waits: false once the request was answered, cancelled or superseded.
    var isWanted: Bool { get }
    /// Begins with a source, the first or the next.
    func begin(_ source: Source, _ plan: FailoverPlan) -> any RouteStages
    /// Asks the retry strategy; throws when the request ends meanwhile.
    nonisolated(nonsending) func decision(after failure: PropagationError) async throws(KingfisherError)
        -> RetryDecision
    /// Reports the image; false if an outcome was reported before.
    @discardableResult
    func finish(with loaded: Loaded) -> Bool
    /// Reports a failure, unless an outcome was reported before.
    func fail(with error: KingfisherError)
}

/// What the stages of one source do.
///
/// A function that waits throws when the request is cancelled. Those that look into caches also throw
/// `imageNotExisting` when it was superseded: nobody would look at what they find.
protocol RouteStages: Sendable {
    /// Whether caches are not asked.
    var skipsCaches: Bool { get }
    /// Whether the disk and tiers are not asked.
    var readsMemoryOnly: Bool { get }
    /// Whether the image is another one than the source's own.
    var hasProcessor: Bool { get }

    /// What is known of a hit in memory.
    func answer(_ hit: MemoryHit) -> CachedAnswer
    /// What memory has of the processed image.
    func imageInMemory() -> CachedAnswer?
    /// The same, if it may be used without asking a server.
    func usableImageInMemory() -> CachedAnswer?
    /// The processed image on disk, or one that came to memory or is being written meanwhile.
    nonisolated(nonsending) func processedImage() async throws(KingfisherError) -> CachedAnswer?
    nonisolated(nonsending) func processedInTiers() async throws(KingfisherError) -> TierAnswer?
    /// The original in memory or on disk; or the processed image, if that came to the cache meanwhile.
    nonisolated(nonsending) func originalInCaches() async throws(KingfisherError) -> CachedAnswer?
    nonisolated(nonsending) func originalInTiers() async throws(KingfisherError) -> CachedAnswer?

    /// Loads from the source; with a stale answer by a conditional request.
    nonisolated(nonsending) func fetch(insteadOf stale: CachedAnswer?) async throws(KingfisherError)
        -> Fetched
    /// Makes an image of the source's bytes.
    nonisolated(nonsending) func process(_ bytes: ProcessingInput) async throws(KingfisherError) -> ProcessingInput.Outcome
    /// Makes an image of an original that a cache has.
    nonisolated(nonsending) func process(original: ProcessingInput) async throws(KingfisherError) -> ProcessingInput.Outcome
    /// The image of a hit in memory, made again if it was made with other options.
    nonisolated(nonsending) func image(of hit: MemoryHit) async throws(KingfisherError)
        -> KFCrossPlatformImage

    /// Whether caches may keep an image; removes what its server wants out of them.
    func mayStore(_ new: NewImage) -> Bool
    /// Stores an image; returns when the disk has it where the request waits for that.
    nonisolated(nonsending) func store(_ new: NewImage, replacesOriginal: Bool) async
    /// Puts an image into memory that was read from a file.
    func promote(_ image: KFCrossPlatformImage)

    /// What to do with something that a cache has.
    func reuse(of answer: CachedAnswer) -> HTTPFreshness.Reuse
    /// The answer, with a note of what the caches hold now.
    func traced(_ answer: CachedAnswer) -> CachedAnswer
    /// Whether the caches still hold what the answer was made of.
    func isUnchanged(_ answer: CachedAnswer) -> Bool
    /// What a 304 makes of an answer; nil if it is about other bytes.
    func confirmed(_ answer: CachedAnswer, by arrival: ResponseArrival) -> CachedAnswer?
    /// Notes in the caches that an answer was confirmed. Throws in a background renewal, which has nothing to
    /// deliver then.
    nonisolated(nonsending) func store(
        confirmed: CachedAnswer, insteadOf answer: CachedAnswer, _ arrival: ResponseArrival
    ) async throws(KingfisherError)
    /// Whether a stale answer may take the place of an error.
    func allowsStale(_ answer: CachedAnswer, after error: KingfisherError) -> Bool
    /// Removes an answer from caches whose server says that it is gone.
    func forget(_ answer: CachedAnswer, after error: KingfisherError)

    /// Keeps the rights to write to tiers for the image that is made.
    func keep(_ leases: TierLeases)
    /// Starts a request in the background for what is newer than the delivered image.
    func renew(_ renewal: Renewal)
    /// Gives up what the source held, after its failure.
    func end(with error: KingfisherError)

    /// The result for an image from a cache.
    func loaded(_ image: KFCrossPlatformImage, from type: CacheType, then renewal: Renewal?) -> Loaded
    /// The error where the processor makes no image of `item`.
    func refusal(of item: ImageProcessItem) -> KingfisherError
    /// The result for an image that was made for this request.
    func loaded(_ new: NewImage, then renewal: Renewal?) -> Loaded
}

/// Something that a cache has for a request, and whose server may have to be asked before it is used.
///
/// This and what follows are objects because they are large: a frame of an async function has room for each.
final class CachedAnswer: Sendable {
    enum Content: Sendable {
        /// An image in memory.
        case memory(MemoryHit)
        /// An image decoded from a file; promoted ones go to memory when they are delivered.
        case file(KFCrossPlatformImage, isPromoted: Bool)
        /// An unprocessed image, or its bytes.
        case original(ProcessingInput)
    }

    let content: Content
    /// What is known of it; nil for what is used as it is.
    let freshness: HTTPFreshness?
    /// Whether the server can be asked by validators. Where it has confirmed something else it cannot.
    let hasValidators: Bool
    /// What the caches held when its server was asked; nil where it did not have to be.
    let trace: CacheTrace?

    init(
        _ content: Content, _ freshness: HTTPFreshness?, hasValidators: Bool = true, trace: CacheTrace? = nil
    ) {
        self.content = content
        self.freshness = freshness
        self.hasValidators = hasValidators
        self.trace = trace
    }

    /// The same after its server has confirmed something else.
    var withoutValidators: CachedAnswer {
        CachedAnswer(content, freshness, hasValidators: false, trace: trace)
    }

    func with(_ trace: CacheTrace) -> CachedAnswer {
        CachedAnswer(content, freshness, hasValidators: hasValidators, trace: trace)
    }

    /// The same after its server has confirmed it.
    func with(_ freshness: HTTPFreshness) -> CachedAnswer {
        CachedAnswer(content, freshness, hasValidators: hasValidators, trace: trace)
    }

    /// Whether caches may keep it.
    var isStorable: Bool { freshness?.isStorable ?? true }

    /// Whether an image has yet to be made of it.
    var isOriginal: Bool { if case .original = content { true } else { false } }

    /// Whether it was read from a file for this request.
    var isFromFile: Bool {
        switch content {
        case .memory: false
        case .file: true
        case .original(let original): original.item.data != nil
        }
    }

    /// The image in memory, or just read from a file; nil for bytes.
    var image: KFCrossPlatformImage? {
        switch content {
        case .memory(let hit): hit.stored
        case .file(let image, _): image
        case .original(let original): if case .image(let image) = original.item { image } else { nil }
        }
    }
}

/// What caches held under an answer's keys when its server was asked, to tell later whether that was replaced
/// or removed meanwhile: an answer must not take a newer one's place.
struct CacheTrace: Sendable {
    struct Entry: Sendable {
        /// As the cache's traffic counts them.
        let version: UInt64
        let image: KFCrossPlatformImage?
    }

    let entries: [Entry]

    /// Whether no file was written or removed since.
    func hasSameFiles(as other: CacheTrace) -> Bool { entries.map(\.version) == other.entries.map(\.version) }

    /// Whether memory holds the same, too.
    func isSame(as other: CacheTrace) -> Bool {
        hasSameFiles(as: other) && zip(entries, other.entries).allSatisfy { $0.image === $1.image }
    }
}

/// What tiers have of a processed image.
enum TierAnswer: Sendable {
    case hit(CachedAnswer)
    /// To be delivered now; with leases, a new one is made afterwards.
    case stale(CachedAnswer, TierLeases)
}

/// What a source gave.
enum Fetched: Sendable {
    /// Nothing: the image came to the cache meanwhile.
    case inCache(CachedAnswer)
    /// A download, processed.
    case image(NewImage)
    /// A provider's bytes.
    case bytes(ProcessingInput)
    /// The server's 304.
    case confirmation(ResponseArrival)
}

/// An image that was made for a request.
final class NewImage: Sendable {
    let image: KFCrossPlatformImage
    /// The file that it was made of, if known.
    let original: Data?
    /// Whether it is of bytes that were just fetched, not of an original in a cache.
    let isFetched: Bool
    let metrics: NetworkMetrics?
    let freshness: HTTPFreshness?
    /// The share of a memory budget that its bytes are part of, held until they are on disk.
    let ticket: AdmissionTicket?

    init(
        image: KFCrossPlatformImage, original: Data?, isFetched: Bool = true, metrics: NetworkMetrics? = nil,
        freshness: HTTPFreshness? = nil, ticket: AdmissionTicket? = nil
    ) {
        self.image = image
        self.original = original
        self.isFetched = isFetched
        self.metrics = metrics
        self.freshness = freshness
        self.ticket = ticket
    }
}

/// What a route ends with.
final class Loaded: Sendable {
    let result: RetrieveImageResult
    /// What is to be loaded in the background after delivery.
    let renewal: Renewal?

    init(_ result: RetrieveImageResult, renewal: Renewal? = nil) {
        self.result = result
        self.renewal = renewal
    }
}

/// A load in the background for what is newer than a delivered image.
enum Renewal: Sendable {
    /// The server is asked about a stale answer.
    case revalidation(CachedAnswer)
    /// A new entry for tiers that have granted leases for it.
    case replacement(TierLeases)
}
