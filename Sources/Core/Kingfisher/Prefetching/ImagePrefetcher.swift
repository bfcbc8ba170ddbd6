import KingfisherConcurrency
public import Foundation
import Synchronization

/// Fetches images into the caches before they are displayed.
///
///     let prefetcher = ImagePrefetcher(urls: nextPage) { skipped, failed, completed in
///         print("\(completed.count) new images")
///     }
///     prefetcher.start()
///
/// Safe from any thread. Images in the memory or disk cache are skipped, unless the options contain
/// `forceRefresh`; an outdated image is loaded: of a local file that has changed, and with `.httpCaching` one
/// that is not fresh. With `alsoPrefetchToMemory`, images on disk are read into memory and count as skipped;
/// one that cannot be read is fetched. Retry strategies and alternative sources apply to each source.
///
/// The option `.manager` selects the manager, with its default options and memory budget. Without it, images
/// are loaded by the downloader of the options and stored in their target cache, by default
/// `ImageDownloader.default` and `ImageCache.default`. Their keys are the keys of `KingfisherManager.shared`
/// (``KingfisherManager/cacheKeyRule``), so that views find them. The callback queue of the options is
/// ignored.
///
/// Only the handlers use the main thread. They are called on it in this order: progress once for each source,
/// in the order in which sources end, with cumulative lists; then completion, once. A running prefetcher
/// keeps itself alive.
public final class ImagePrefetcher: CustomStringConvertible, Sendable {
    private struct State: Sendable {
        var ledger: PrefetchLedger
        /// Nil after completion: objects of the caller must not live as long as the prefetcher.
        var handlers: PrefetchHandlers?
        var limit = 5
        var tasks: [Int: DownloadTask] = [:]
        var isAdvancing = false
        var isReporting = false

        var wantsProgress: Bool { handlers?.progress != nil }
    }

    private let options: KingfisherParsedOptionsInfo
    private let manager: KingfisherManager
    private let state: Mutex<State>

    /// Creates a prefetcher for `urls`. File URLs are also fetched, but not reported to the handlers.
    public convenience init(
        urls: [URL], options: KingfisherOptionsInfo? = nil, progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: urls, options: options, progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Creates a prefetcher for `resources`. Files are also fetched, but not reported to the handlers.
    public convenience init(
        resources: [any Resource], options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil, completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources.map { $0.convertToSource() }, options,
            PrefetchHandlers(progress: progressBlock, completion: completionHandler))
    }

    /// Creates a prefetcher for `sources`.
    public convenience init(
        sources: [Source], options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherSourceProgressBlock? = nil,
        completionHandler: PrefetcherSourceCompletionHandler? = nil
    ) {
        self.init(sources, options, PrefetchHandlers(progress: progressBlock, completion: completionHandler))
    }

    private init(_ sources: [Source], _ options: KingfisherOptionsInfo?, _ handlers: PrefetchHandlers) {
        let named = options?.manager
        var parsed = named?.parsedOptions(options) ?? KingfisherParsedOptionsInfo(options)
        // The images are not delivered to a caller.
        parsed.change { $0.deliverUnmodified() }
        self.options = parsed
        manager = named ?? .unnamed(parsed)
        state = Mutex(State(ledger: PrefetchLedger(sources), handlers: handlers))
    }

    /// The maximum number of sources fetched at the same time; 5 by default. A value below 1 counts as 1. An
    /// increase takes effect immediately, a decrease as sources end.
    public var maxConcurrentDownloads: Int {
        get { state.withLock(\.limit) }
        set {
            state.withLock { $0.limit = newValue }
            advance()
        }
    }

    /// The number of sources, in total and by outcome.
    public var description: String {
        let (all, lists) = state.withLock { ($0.ledger.sources.count, $0.ledger.lists) }
        return
            "ImagePrefetcher of \(all) sources: \(lists.skipped.count) skipped, \(lists.failed.count) failed, "
            + "\(lists.completed.count) completed"
    }

    /// Starts fetching. A prefetcher runs once: further calls do nothing. After `stop()`, every source fails.
    public func start() {
        state.withLock { $0.ledger.start() }
        advance()
    }

    /// Whether the prefetcher is paused; see ``pause()``.
    public var isPaused: Bool { state.withLock(\.ledger.isPaused) }

    /// Starts no further source until ``resume()``. Running sources continue and are reported.
    ///
    /// May be called before `start()`. The completion handler waits for the sources that have not started:
    /// it is called after ``resume()`` and their end, or after `stop()`, which also ends a paused prefetcher.
    /// To stop the downloads of running sources, use ``ImageDownloader/suspend()``.
    public func pause() { state.withLock { $0.ledger.isPaused = true } }

    /// Continues after ``pause()``. Does nothing if the prefetcher is not paused.
    public func resume() {
        state.withLock { $0.ledger.isPaused = false }
        advance()
    }

    /// Cancels running and waiting sources; they count as failed. Does nothing after completion.
    public func stop() {
        let tasks = state.withLock { state in
            state.ledger.stop()
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
        scheduleReports()
    }

    /// Starts as many sources as the limit allows. Thousands may end synchronously: a loop starts them all,
    /// because recursion could overflow the stack.
    private func advance() {
        let isAdvancing = state.withLock { state in
            defer { state.isAdvancing = true }
            return state.isAdvancing
        }
        if !isAdvancing {
            while let (number, source) = takeNext() { prefetch(number, source) }
        }
        scheduleReports()
    }

    private func takeNext() -> (Int, Source)? {
        state.withLock { state in
            let number = state.ledger.takeNext(limit: state.limit)
            state.isAdvancing = number != nil
            return number.map { ($0, state.ledger.sources[$0]) }
        }
    }

    private func prefetch(_ number: Int, _ source: Source) {
        // A load into memory looks up the caches by itself.
        if options.forceRefresh || options.alsoPrefetchToMemory { return load(number, source) }
        let (cache, keyed) = (options.targetCache ?? manager.cache, manager.keyed(source))
        cache.imageCachedTypeAsync(
            forKey: keyed.cacheKey, processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension, callbackQueue: .untouch
        ) { [self] type in
            if type.cached, cache.isCachedImageUsable(of: keyed, options) {
                end(number, as: .skipped)
            } else {
                load(number, source)
            }
        }
    }

    private func load(_ number: Int, _ source: Source) {
        guard !state.withLock(\.ledger.isStopped) else { return end(number, as: .failed) }
        let task = manager.retrieveImage(RequestPlan(source, options)) { [self] result in
            switch result {
            case .success(let value): end(number, as: value.cacheType.cached ? .skipped : .completed)
            case .failure: end(number, as: .failed)
            }
        }
        let isStopped = state.withLock { state in
            if state.ledger.isUnderWay(number) { state.tasks[number] = task }
            return state.ledger.isStopped
        }
        if isStopped { task?.cancel() }
    }

    private func end(_ number: Int, as outcome: PrefetchLedger.Outcome) {
        state.release { state in
            state.ledger.end(number, as: outcome)
            return state.tasks.removeValue(forKey: number)
        }
        advance()
    }
}

extension ImagePrefetcher {
    private func scheduleReports() {
        let isNeeded = state.withLock { state in
            guard !state.isReporting, state.ledger.hasReport(withProgress: state.wantsProgress) else {
                return false
            }
            state.isReporting = true
            return true
        }
        guard isNeeded else { return }
        CallbackQueue.mainAsync.execute { [self] in
            MainActor.assumeIsolated {
                while let (report, handlers) = takeReport() { deliver(report, to: handlers) }
            }
        }
    }

    private func takeReport() -> (PrefetchLedger.Report, PrefetchHandlers)? {
        state.withLock { state in
            let report = state.ledger.takeReport(withProgress: state.wantsProgress)
            state.isReporting = report != nil
            guard let report, let handlers = state.handlers else { return nil }
            if case .completion = report { state.handlers = nil }
            return (report, handlers)
        }
    }

    @MainActor private func deliver(_ report: PrefetchLedger.Report, to handlers: PrefetchHandlers) {
        switch report {
        case .progress(let lists): handlers.progress?(lists.skipped, lists.failed, lists.completed)
        case .completion(let lists): handlers.completion?(lists.skipped, lists.failed, lists.completed)
        }
    }
}

extension KingfisherManager {
    /// A manager for a prefetcher whose options name none.
    fileprivate static func unnamed(_ options: KingfisherParsedOptionsInfo) -> KingfisherManager {
        let manager = KingfisherManager(
            downloader: options.downloader ?? .default, cache: options.targetCache ?? .default)
        manager.cacheKeyRule = sharedCacheKeyRule
        return manager
    }
}
