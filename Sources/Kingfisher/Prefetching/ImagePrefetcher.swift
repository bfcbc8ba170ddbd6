public import Foundation
import Synchronization

/// Fetches images into the caches before anybody wants to see them.
///
///     let prefetcher = ImagePrefetcher(urls: nextPage) { skipped, failed, completed in
///         print("\(completed.count) new images")
///     }
///     prefetcher.start()
///
/// Safe from any thread. Images that memory or the disk has are skipped, unless `forceRefresh` is among the
/// options. With `alsoPrefetchToMemory` those on disk are read into memory, and skipped all the same; one
/// that cannot be read is fetched. Retry strategies and alternative sources act on each source; a source ends
/// once. The option `.manager` names the manager, whose default options and memory budget hold then; without
/// it the images go through the options' downloader to their target cache, by default
/// `ImageDownloader.default` and `ImageCache.default`. The options' callback queue is ignored.
///
/// Nothing but the handlers needs the main thread. They are told on it: progress once for each source, with
/// cumulative lists, in the order of the ends; then the completion, once. A prefetcher that works keeps
/// itself alive.
public final class ImagePrefetcher: CustomStringConvertible, Sendable {
    private struct State: Sendable {
        var ledger: PrefetchLedger
        /// Nil once all is told: what the caller passed in must not live as long as the prefetcher.
        var handlers: PrefetchHandlers?
        var limit = 5
        var tasks: [Int: DownloadTask] = [:]
        var isAdvancing = false
        var isTelling = false

        var wantsProgress: Bool { handlers?.progress != nil }
    }

    private let options: KingfisherParsedOptionsInfo
    private let manager: KingfisherManager
    private let state: Mutex<State>

    /// Prepares to fetch what `urls` name. Files are fetched too, but the handlers are not told of them.
    public convenience init(
        urls: [URL], options: KingfisherOptionsInfo? = nil, progressBlock: PrefetcherProgressBlock? = nil,
        completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources: urls, options: options, progressBlock: progressBlock,
            completionHandler: completionHandler)
    }

    /// Prepares to fetch `resources`. Files are fetched too, but the handlers are not told of them.
    public convenience init(
        resources: [any Resource], options: KingfisherOptionsInfo? = nil,
        progressBlock: PrefetcherProgressBlock? = nil, completionHandler: PrefetcherCompletionHandler? = nil
    ) {
        self.init(
            resources.map { $0.convertToSource() }, options,
            PrefetchHandlers(progress: progressBlock, completion: completionHandler))
    }

    /// Prepares to fetch `sources`.
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
        parsed.delivery = DeliveryOptions(callbackQueue: .untouch)
        self.options = parsed
        manager =
            named
            ?? KingfisherManager(
                downloader: parsed.downloader ?? .default, cache: parsed.targetCache ?? .default)
        state = Mutex(State(ledger: PrefetchLedger(sources), handlers: handlers))
    }

    /// The most sources that are worked on at a time; 5 by default. Less than 1 counts as 1. A higher number
    /// acts at once, a lower one as sources end.
    public var maxConcurrentDownloads: Int {
        get { state.withLock(\.limit) }
        set {
            state.withLock { $0.limit = newValue }
            advance()
        }
    }

    /// The numbers of sources, in all and by what became of them.
    public var description: String {
        let (all, lists) = state.withLock { ($0.ledger.sources.count, $0.ledger.lists) }
        return
            "ImagePrefetcher of \(all) sources: \(lists.skipped.count) skipped, \(lists.failed.count) failed, "
            + "\(lists.completed.count) completed"
    }

    /// Begins. A prefetcher works once: further calls do nothing, and after `stop()` every source fails.
    public func start() {
        state.withLock { $0.ledger.start() }
        advance()
    }

    /// Gives up what is under way, and what was not begun; both count as failed. Does nothing at the end.
    public func stop() {
        let tasks = state.withLock { state in
            state.ledger.stop()
            return state.tasks.values
        }
        for task in tasks { task.cancel() }
        tell()
    }

    /// Begins as many sources as the limit allows. They may end at once, thousands in a row: one loop begins
    /// them all, not each the next.
    private func advance() {
        let isAdvancing = state.withLock { state in
            defer { state.isAdvancing = true }
            return state.isAdvancing
        }
        if !isAdvancing {
            while let (number, source) = takeNext() { prefetch(number, source) }
        }
        tell()
    }

    private func takeNext() -> (Int, Source)? {
        state.withLock { state in
            let number = state.ledger.takeNext(limit: state.limit)
            state.isAdvancing = number != nil
            return number.map { ($0, state.ledger.sources[$0]) }
        }
    }

    private func prefetch(_ number: Int, _ source: Source) {
        // Reading an image into memory is a load as any other, and finds out by itself where it is.
        if options.forceRefresh || options.alsoPrefetchToMemory { return load(number, source) }
        (options.targetCache ?? manager.cache).imageCachedTypeAsync(
            forKey: source.cacheKey, processorIdentifier: options.processor.identifier,
            forcedExtension: options.forcedExtension, callbackQueue: .untouch
        ) { [self] type in
            if type.cached { end(number, as: .skipped) } else { load(number, source) }
        }
    }

    private func load(_ number: Int, _ source: Source) {
        guard !state.withLock(\.ledger.isStopped) else { return end(number, as: .failed) }
        let task = manager.retrieveImage(
            with: source, options: options, progressBlock: nil, isCurrent: nil
        ) { [self] result in
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
        let task = state.withLock { state in
            state.ledger.end(number, as: outcome)
            return state.tasks.removeValue(forKey: number)
        }
        withExtendedLifetime(task) {}
        advance()
    }
}

extension ImagePrefetcher {
    /// Has the handlers told of what they do not know yet.
    private func tell() {
        let isNeeded = state.withLock { state in
            guard !state.isTelling, state.ledger.hasReport(withProgress: state.wantsProgress) else {
                return false
            }
            state.isTelling = true
            return true
        }
        guard isNeeded else { return }
        CallbackQueue.mainAsync.execute { [self] in
            MainActor.assumeIsolated {
                while let (report, handlers) = takeReport() { hand(report, to: handlers) }
            }
        }
    }

    private func takeReport() -> (PrefetchLedger.Report, PrefetchHandlers)? {
        state.withLock { state in
            let report = state.ledger.takeReport(withProgress: state.wantsProgress)
            state.isTelling = report != nil
            guard let report, let handlers = state.handlers else { return nil }
            if case .completion = report { state.handlers = nil }
            return (report, handlers)
        }
    }

    @MainActor private func hand(_ report: PrefetchLedger.Report, to handlers: PrefetchHandlers) {
        switch report {
        case .progress(let lists): handlers.progress?(lists.skipped, lists.failed, lists.completed)
        case .completion(let lists): handlers.completion?(lists.skipped, lists.failed, lists.completed)
        }
    }
}
