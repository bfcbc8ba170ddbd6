import KingfisherImage
import KingfisherTransport

/// The work of each stage for one source of a request.
///
/// `LiveStages` is the implementation; tests replace it. Every async function throws if the request is
/// cancelled. Functions that read caches also throw `imageNotExisting` once the request is superseded,
/// because its result would be discarded.
protocol PipelineStages: Sendable {
    var skipsCaches: Bool { get }
    var readsMemoryOnly: Bool { get }
    var hasProcessor: Bool { get }

    // MARK: Caches

    func cacheHit(_ hit: MemoryHit) -> CacheHit
    func imageInMemory() -> CacheHit?
    /// The processed image in memory, or about to be written, if it is fresh.
    func usableImageInMemory() -> CacheHit?
    /// The same, if an image was stored since the request looked in memory.
    func imageStoredMeanwhile() -> CacheHit?
    /// The processed image on disk; or in memory, or about to be written, if another request has just stored
    /// it.
    nonisolated(nonsending) func processedImage() async throws(KingfisherError) -> CacheHit?
    nonisolated(nonsending) func processedInTiers() async throws(KingfisherError) -> TierHit?
    /// The original in memory or on disk; or the processed image, if another request has just stored it.
    nonisolated(nonsending) func originalInCaches() async throws(KingfisherError) -> CacheHit?
    nonisolated(nonsending) func originalInTiers() async throws(KingfisherError) -> CacheHit?

    // MARK: Source and processing

    /// Loads from the source; the request is conditional if the stale hit has validators.
    nonisolated(nonsending) func fetch(insteadOf stale: CacheHit?) async throws(KingfisherError)
        -> FetchOutcome
    /// Makes the image of fetched bytes. Throws `processingFailed` if there is none.
    nonisolated(nonsending) func image(
        of fetched: ProcessingInput, _ arrival: ResponseArrival?, by download: Download?
    ) async throws(KingfisherError) -> NewImage
    /// Makes the image of an input. Throws if there is no memory for it, or if it was cancelled.
    nonisolated(nonsending) func process(
        _ input: ProcessingInput, as kind: ProcessingInput.Kind
    ) async throws(KingfisherError) -> ProcessingInput.Outcome
    /// The image of a memory hit, recreated if it is an animation that was decoded with other options.
    nonisolated(nonsending) func image(of hit: MemoryHit) async throws(KingfisherError)
        -> KFCrossPlatformImage

    // MARK: Storing

    /// Whether caches may store an image. Removes the cached one if the server forbids storing.
    func mayStore(_ new: NewImage) -> Bool
    /// Stores an image; with `waitForCache`, returns when it is on disk.
    nonisolated(nonsending) func store(_ new: NewImage, replacesOriginal: Bool) async
    /// Notes what is known of the image of a file, and stores it where the hit says: in memory, and an entry
    /// of a tier on disk.
    func keep(_ image: KFCrossPlatformImage, of hit: CacheHit, in place: CacheHit.Place)

    // MARK: Freshness

    func reuse(of hit: CacheHit) -> HTTPFreshness.Reuse
    /// Whether the server, or the request's own bounds, allow storing.
    func isStorable(_ hit: CacheHit) -> Bool
    func withSnapshot(_ hit: CacheHit) -> CacheHit
    /// Whether the caches still hold what the hit's snapshot says; true without a snapshot.
    func isUnchanged(_ hit: CacheHit) -> Bool
    /// The hit with the freshness of a 304; nil if the 304 is about another representation.
    func confirmed(_ hit: CacheHit, by arrival: ResponseArrival) -> CacheHit?
    /// Stores the new freshness of a confirmed hit. Throws in a background renewal, because the delivered
    /// image is still valid.
    nonisolated(nonsending) func store(
        confirmed: CacheHit, insteadOf hit: CacheHit, _ arrival: ResponseArrival
    ) async throws(KingfisherError)
    func allowsStale(_ hit: CacheHit, after error: KingfisherError) -> Bool
    /// Removes a hit from the caches if the error says that the server no longer has the image.
    func forget(_ hit: CacheHit, after error: KingfisherError)

    // MARK: The end

    func keep(_ leases: TierLeases)
    func renew(_ renewal: Renewal)
    func end(with error: KingfisherError)

    func result(_ image: KFCrossPlatformImage, from type: CacheType, then renewal: Renewal?) -> PipelineResult
    func result(_ new: NewImage, then renewal: Renewal?) -> PipelineResult
    /// The error of a processor that has made no image of `item`.
    func processingFailure(of item: ImageProcessItem) -> KingfisherError
}

/// A cached image or original, before its freshness decides whether it may be used.
///
/// This and the next types are classes because they are large, and the frame of an async function reserves
/// space for each value.
final class CacheHit: Sendable {
    enum Content: Sendable {
        case memory(MemoryHit)
        /// The file of the processed image, and where to store the image.
        case processed(ProcessingInput, Place)
        case original(ProcessingInput)
    }

    /// Where the image of a file is stored when it is delivered.
    enum Place: Sendable {
        case nowhere
        case memory
        /// In memory; the entry of a tier on disk.
        case caches(TierEntry)
    }

    let content: Content
    /// Nil if the image may be used without asking its server.
    let freshness: HTTPFreshness?
    /// False after a 304 that is about another representation.
    let hasValidators: Bool
    let snapshot: CacheSnapshot?
    /// Whether images made of it are for one user and must not reach a tier.
    let isPrivate: Bool

    init(
        _ content: Content, _ freshness: HTTPFreshness?, hasValidators: Bool = true,
        snapshot: CacheSnapshot? = nil, isPrivate: Bool = false
    ) {
        self.content = content
        self.freshness = freshness
        self.hasValidators = hasValidators
        self.snapshot = snapshot
        self.isPrivate = isPrivate
    }

    var withoutValidators: CacheHit {
        CacheHit(content, freshness, hasValidators: false, snapshot: snapshot, isPrivate: isPrivate)
    }

    func with(_ snapshot: CacheSnapshot) -> CacheHit {
        CacheHit(
            content, freshness, hasValidators: hasValidators, snapshot: snapshot, isPrivate: isPrivate)
    }

    /// - Parameter isPrivate: Whether the response with this freshness says that the bytes are for one user.
    func with(_ freshness: HTTPFreshness, isPrivate: Bool = false) -> CacheHit {
        CacheHit(
            content, freshness, hasValidators: hasValidators, snapshot: snapshot,
            isPrivate: self.isPrivate || isPrivate)
    }

    /// The hit, to be used without asking its server.
    var withoutFreshness: CacheHit { CacheHit(content, nil, isPrivate: isPrivate) }

    /// The hit after its file was decoded to `image`.
    func with(_ image: KFCrossPlatformImage) -> CacheHit {
        CacheHit(
            .processed(ProcessingInput(.image(image)), .nowhere), freshness, hasValidators: hasValidators,
            snapshot: snapshot, isPrivate: isPrivate)
    }

    var isOriginal: Bool { if case .original = content { true } else { false } }

    /// Whether this is the original of a local file that has changed since, if it is not usable.
    var isOriginalOfEarlierVersion: Bool { isOriginal && freshness?.fileVersion != nil }

    var isFromFile: Bool {
        switch content {
        case .memory: false
        case .processed: true
        case .original(let original): original.item.data != nil
        }
    }

    var image: KFCrossPlatformImage? {
        switch content {
        case .memory(let hit): hit.stored
        case .processed(let input, _), .original(let input):
            if case .image(let image) = input.item { image } else { nil }
        }
    }
}

/// The content of the caches under a hit's keys when its server was asked.
///
/// Compared with a later snapshot, it tells whether another request has stored or removed an image in the
/// meantime. An outdated response must not replace a newer one.
struct CacheSnapshot: Sendable {
    struct Entry: Sendable {
        let version: UInt64
        let image: KFCrossPlatformImage?
    }

    let entries: [Entry]

    func hasSameFiles(as other: CacheSnapshot) -> Bool {
        entries.map(\.version) == other.entries.map(\.version)
    }

    func isSame(as other: CacheSnapshot) -> Bool {
        hasSameFiles(as: other) && zip(entries, other.entries).allSatisfy { $0.image === $1.image }
    }
}

enum TierHit: Sendable {
    case hit(CacheHit)
    case stale(CacheHit, TierLeases)
}

/// The outcome of loading from a source.
enum FetchOutcome: Sendable {
    /// Nothing was loaded: another request has stored the image in the meantime.
    case inCache(CacheHit)
    /// With the response of a download. If the bytes are shared with other requests, the download is left at
    /// the end.
    case bytes(ProcessingInput, ResponseArrival?, Download?)
    /// A downloader subclass has made the image.
    case made(NewImage)
    case notModified(ResponseArrival)
}

final class NewImage: Sendable {
    let image: KFCrossPlatformImage
    let original: Data?
    /// Whether it was made of data that was just fetched, not of a cached original.
    let isFetched: Bool
    let metrics: NetworkMetrics?
    let freshness: HTTPFreshness?
    /// Whether it is for one user and must not reach a tier.
    let isPrivate: Bool
    /// The reservation of the memory budget for the original's bytes, held until they are on disk.
    let ticket: AdmissionTicket?

    init(
        image: KFCrossPlatformImage, original: Data?, isFetched: Bool = true, metrics: NetworkMetrics? = nil,
        freshness: HTTPFreshness? = nil, isPrivate: Bool = false, ticket: AdmissionTicket? = nil
    ) {
        self.image = image
        self.original = original
        self.isFetched = isFetched
        self.metrics = metrics
        self.freshness = freshness
        self.isPrivate = isPrivate
        self.ticket = ticket
    }
}

final class PipelineResult: Sendable {
    let result: RetrieveImageResult
    let renewal: Renewal?

    init(_ result: RetrieveImageResult, renewal: Renewal? = nil) {
        self.result = result
        self.renewal = renewal
    }
}

/// Why a newer image is loaded in the background: a stale hit was delivered with `stale-while-revalidate`, or
/// tiers granted leases to replace their stale entry.
enum Renewal: Sendable {
    case revalidation(CacheHit)
    case replacement(TierLeases)
}
