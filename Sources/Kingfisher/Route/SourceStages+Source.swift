import Foundation
import KingfisherConcurrency
import KingfisherImage
import KingfisherTransport

/// Downloads and providers.
extension SourceStages {
    nonisolated(nonsending) func fetch(insteadOf stale: CachedAnswer?) async throws(KingfisherError)
        -> Fetched
    {
        visitCaches()
        guard request.isWanted, !options.onlyFromCache || options.forceRefresh else { throw notExisting }
        switch source.loaded(readingFileURLs: request.readsFileURLs) {
        case .network(let resource) where avoidsNetwork: throw .constrained(resource.downloadURL)
        case .network(let resource): return try await download(resource.downloadURL, insteadOf: stale)
        case .provider(let provider):
            announceTask()
            return try await supply(from: provider)
        }
    }

    /// Has the downloader fetch and process the image, unless a stale answer proves good.
    nonisolated(nonsending) private func download(
        _ url: URL, insteadOf stale: CachedAnswer?
    ) async throws(KingfisherError) -> Fetched {
        var mark = looksAgain ? arrivals : nil
        while true {
            let outcome = try await request.wait { [self, mark] (resume: Resume<DownloadOutcome>) in
                request.downloader.fetch(order(url, insteadOf: stale, since: mark)) { resume($0) }
            }
            switch outcome {
            case .loaded(let loaded): return .image(NewImage(loaded, self))
            case .confirmed(let arrival): return .confirmation(arrival)
            case .failed(let error): throw error
            case .cacheHasChanged:
                mark = request.targetCache.arrivals.mark
                if let answer = usableImageInMemory() { return .inCache(answer) }
            }
        }
    }

    private func order(
        _ url: URL, insteadOf stale: CachedAnswer?, since mark: ChangeCounter.Mark?
    ) -> DownloadOrder {
        // The report goes to the caller's queue once, at the end.
        var options = options
        options.callbackQueue = .untouch
        return DownloadOrder(
            url: url, options: options, task: task, cacheMark: mark,
            validators: stale.flatMap { $0.hasValidators ? $0.freshness : nil },
            admission: request.admission, progressBlock: request.progressBlock)
    }

    /// Has a provider supply the bytes, together with whoever wants those of an equal one.
    nonisolated(nonsending) private func supply(
        from provider: any ImageDataProvider
    ) async throws(KingfisherError) -> Fetched {
        var mark = looksAgain ? arrivals : nil
        let identity = ProviderIdentity(provider, wantsFresh: options.forceRefresh)
        while true {
            let shared = try await request.wait {
                [self, mark] (resume: Resume<Shared<Result<ProcessingInput, any Error>>>) in
                share(
                    request.targetCache.shared.provided, identity, acceptsCompleted: !options.forceRefresh,
                    since: mark, resume: resume
                ) { leader in
                    let load = ProviderLoad()
                    leader.whenAbandoned { load.cancel() }
                    load.start(provider) { result in
                        let bytes = result.map { ProcessingInput(.data($0)) }
                        // A request that comes after a failure, a retry for example, has the provider asked
                        // again.
                        leader.complete(bytes, keeping: bytes.isSuccess ? .whileJoined : .none)
                    }
                }
            }
            switch shared {
            case .outcome(.success(let bytes)): return .bytes(bytes)
            case .outcome(.failure(let error)):
                throw .imageSettingError(reason: .dataProviderError(provider: provider, error: error))
            case .cacheHasChanged:
                mark = request.targetCache.arrivals.mark
                if let answer = usableImageInMemory() { return .inCache(answer) }
            }
        }
    }
}

extension NewImage {
    fileprivate convenience init(_ loaded: ImageLoadingResult, _ stages: SourceStages) {
        let clock = stages.request.targetCache.clock
        self.init(
            image: loaded.image, original: loaded.originalData, metrics: loaded.metrics,
            freshness: stages.options.httpCaching ? loaded.arrival?.freshness(by: clock) : nil,
            ticket: loaded.ticket)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
