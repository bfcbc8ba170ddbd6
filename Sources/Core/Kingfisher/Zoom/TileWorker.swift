import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherStorage
import Synchronization

/// Makes the tiles of one image on background threads. Safe from any thread.
final class TileWorker: Sendable {
    enum Job: Hashable, Sendable {
        /// The first view of the file, after which its tiles can be decoded.
        case preparation
        case overview(level: Int)
        case tile(level: Int, PixelArea)
    }

    /// An image, and the level of an overview.
    struct Product: Sendable {
        let image: Image
        let level: Int
    }

    typealias Outcome = Result<Product, KingfisherError>

    /// How the pixels are got before the first view.
    enum Opening: Sendable {
        case regions(any ImageRegions)
        case whole(OpenedFile)
    }

    private struct State: Sendable {
        var opening: Opening?
        var source: TileSource?
        var failure: KingfisherError?
    }

    /// At most as many jobs as there are cores, for all images.
    static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "com.onevcat.Kingfisher.tiles"
        queue.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        queue.qualityOfService = .userInitiated
        return queue
    }()

    private let file: TileFile
    private let levels: TileLevels
    private let context: DecodingContext?
    private let folder: BodyFolder
    private let space: TileSpace
    private let queue: OperationQueue
    private let state: Mutex<State>
    private let work = SingleFlight<Job, Outcome>(abandoned: .failure(.cancelledTile))

    init(
        _ file: TileFile, _ levels: TileLevels, _ opening: Opening, _ context: DecodingContext?,
        _ folder: BodyFolder, _ space: TileSpace, _ queue: OperationQueue
    ) {
        self.queue = queue
        (self.file, self.levels, self.context) = (file, levels, context)
        (self.folder, self.space) = (folder, space)
        state = Mutex(State(opening: opening))
    }

    /// Jobs that have not ended, and the calls that wait for them.
    var jobCount: Int { work.count }
    var waitingCalls: Int { work.callerCount }

    /// The image of a job, after the first view of the file.
    func image(of job: Job) async throws(KingfisherError) -> Image {
        while true {
            let (source, failure) = state.withLock { ($0.source, $0.failure) }
            if let failure { throw failure }
            if source != nil { return try await product(of: job).image }
            let level = if case .overview(let level) = job { level } else { levels.count - 1 }
            let first = try await product(of: .preparation, level: level)
            if case .overview(first.level) = job { return first.image }
        }
    }

    /// Shares the work for equal jobs.
    private func product(of job: Job, level: Int = 0) async throws(KingfisherError) -> Product {
        let place = TilePlace()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard place.wait(continuation) else { return }
                let waiter = SingleFlight<Job, Outcome>.Waiter { place.end($0) }
                let (role, subscription) = work.join(job, waiter)
                place.adopt { [work] in _ = work.leave(subscription) }
                guard case .leader(let leader) = role else { return }
                queue.addOperation { [self] in
                    guard leader.isWanted else { return }
                    leader.complete(run(job, level), keeping: .none)
                }
            }
        } onCancel: {
            place.cancel()
        }
        return try outcome.get()
    }

    private func run(_ job: Job, _ level: Int) -> Outcome {
        if let failure = state.withLock({ $0.failure }) { return .failure(failure) }
        do {
            try file.check()
            let product = try context.run { () throws in try pixels(of: job, level) }
            try file.check()
            return .success(product)
        } catch {
            // A file that changes is also malformed.
            let reason = ((try? file.check()) == nil) ? TiledImageError.fileChanged : error
            return .failure(fail(.tiles(of: file.url, reason), isFinal: Self.isFinal(reason, job)))
        }
    }

    /// Whether the image is too large to be held at this level only.
    private static func isFinal(_ error: any Error, _ job: Job) -> Bool {
        switch (job, error as? ImageCodecError) {
        case (.overview, .tooLarge), (.overview, .tooMuchMemory), (_, .outOfMemory): false
        default: true
        }
    }

    /// The error to throw: the first final one.
    private func fail(_ error: KingfisherError, isFinal: Bool) -> KingfisherError {
        guard isFinal else { return error }
        let old = state.withLock { state in
            defer { (state.opening, state.source) = (nil, nil) }
            state.failure = state.failure ?? error
            return (state.opening, state.source, state.failure)
        }
        return old.2 ?? error
    }

    private func pixels(of job: Job, _ level: Int) throws -> Product {
        let (source, opening) = state.withLock { ($0.source, $0.opening) }
        switch (job, source, opening) {
        case (.overview(let level), let source?, _):
            return Product(image: Image(pixels: try source.whole(level: level)), level: level)
        case (.preparation, let source?, _):
            // The call has looked for the source before, and has come here after the first view was made.
            return Product(image: Image(pixels: try source.whole(level: level)), level: level)
        case (.tile(let level, let area), let source?, _):
            return Product(image: Image(pixels: try source.tile(area, level: level)), level: level)
        case (_, _, let opening?):
            let view = try firstView(opening, level)
            state.release { state in
                defer { (state.source, state.opening) = (view.source, nil) }
                return state.opening
            }
            return Product(image: Image(pixels: view.pixels), level: view.level)
        default: throw ImageCodecError.emptyImage
        }
    }

    private func firstView(_ opening: Opening, _ level: Int) throws -> TileSource.FirstView {
        let opened: OpenedFile
        switch opening {
        case .regions(let regions):
            if let view = try TileSource.reading(regions, levels, level: level) { return view }
            do throws(ImageCodecError) {
                opened = try ImageCodecs.open(file.data)
            } catch {
                // The header was accepted, so the data are at fault.
                if case .tooLarge = error { throw ImageCodecError.corrupt("the image data") }
                throw error
            }
        case .whole(let file): opened = file
        }
        let pixels = try opened.decoder.decode(.full)
        guard pixels.size == levels.size else { throw ImageCodecError.corrupt("the size of the image") }
        return try TileSource.decoding(pixels, levels, level: level, folder, space)
    }
}

extension KingfisherError {
    static let cancelledTile = KingfisherError.requestError(reason: .asyncTaskContextCancelled)

    static func tiles(of url: URL, _ error: any Error) -> KingfisherError {
        if case TiledImageError.tooManyTiles = error {
            return .cacheError(
                reason: .cannotCreateCacheFile(fileURL: url, key: url.path, data: Data(), error: error))
        }
        return .cacheError(reason: .cannotLoadDataFromDisk(url: url, error: error))
    }
}

/// The place of one task in the queue: the task continues once, when its job ends or when it is cancelled.
private final class TilePlace: Sendable {
    private struct State: Sendable {
        var continuation: CheckedContinuation<TileWorker.Outcome, Never>?
        var leave: (@Sendable () -> Void)?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// False if the task was cancelled already, and continues now.
    func wait(_ continuation: CheckedContinuation<TileWorker.Outcome, Never>) -> Bool {
        let waits = state.withLock { state in
            if !state.isCancelled { state.continuation = continuation }
            return !state.isCancelled
        }
        if !waits { continuation.resume(returning: .failure(.cancelledTile)) }
        return waits
    }

    func adopt(_ leave: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.leave = leave }
            return state.isCancelled
        }
        if isCancelled { leave() }
    }

    func end(_ outcome: TileWorker.Outcome) {
        state.withLock { $0.continuation.take() }?.resume(returning: outcome)
    }

    func cancel() {
        let (continuation, leave) = state.withLock { state in
            state.isCancelled = true
            return (state.continuation.take(), state.leave.take())
        }
        continuation?.resume(returning: .failure(.cancelledTile))
        leave?()
    }
}
