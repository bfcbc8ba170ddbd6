import Foundation
import FoundationNetworking
import KingfisherConcurrency
import KingfisherImage
import KingfisherStorage
import KingfisherTransport

/// Downloads and providers.
extension LiveStages {
    nonisolated(nonsending) func fetch(insteadOf stale: CacheHit?) async throws(KingfisherError)
        -> FetchOutcome
    {
        registerKeys()
        guard request.isWanted, !options.onlyFromCache || options.forceRefresh else { throw notFoundError }
        request.plan.willLoadSource?()
        switch loadedSource {
        case .network(let resource) where avoidsNetwork: throw .constrained(resource.downloadURL)
        case .network(let resource):
            // A stale image is revalidated, because a 404 removes it.
            if stale == nil { try checkKnownFailure() }
            return try await download(resource.downloadURL, insteadOf: stale)
        case .provider(let provider):
            announceTask()
            return try await loadData(from: provider)
        }
    }

    nonisolated(nonsending) private func download(
        _ url: URL, insteadOf stale: CacheHit?
    ) async throws(KingfisherError) -> FetchOutcome {
        var mark = rechecksMemory ? insertions : nil
        let validators = stale.flatMap { $0.hasValidators ? $0.freshness : nil }
        var modified: URLRequest?
        while true {
            let interrupted = validators == nil ? try await interruptedBody(of: url) : nil
            let outcome = try await request.wait { [self, mark, modified] (resume: Resume<DownloadOutcome>) in
                let order = order(url, modified, validators, since: mark, continuing: interrupted)
                request.downloader.fetch(order) { resume($0) }
            }
            switch outcome {
            case .confirmed(let arrival): return .notModified(arrival)
            case .arrived(let download):
                // Until the image is in the cache, later requests join the download.
                request.addCleanup {
                    download.leave()
                    return nil
                }
                return .bytes(download.input, download.arrival, download)
            case .made(let result):
                forgetKnownFailure()
                let (clock, rule) = (request.targetCache.clock, request.cacheKeyRule)
                return .made(
                    NewImage(
                        image: result.image, original: result.originalData, metrics: result.metrics,
                        freshness: options.httpCaching ? result.arrival?.freshness(by: clock, rule) : nil,
                        isPrivate: result.arrival?.isPrivate ?? false, ticket: result.memory?.ticket))
            case .failed(let error):
                note(error, of: nil)
                throw error
            case .cacheHasChanged(let unsent):
                modified = unsent
                mark = request.targetCache.insertions.mark
                if let hit = usableImageInMemory() { return .inCache(hit) }
            }
        }
    }

    /// Bodies are stored on the file system of the cache that gets them, so that they can be moved into it.
    private var bodyCache: ImageCache? {
        if options.cacheMemoryOnly { return nil }
        return hasProcessor ? request.originalCache : request.targetCache
    }

    private func bodies(for url: URL) -> BodyStore {
        guard let bodyCache else { return BodyStore() }
        return BodyStore(
            folder: bodyCache.bodies, resumableURL: options.resumable ? url.absoluteString : nil)
    }

    /// The body of an interrupted download. It is read and verified on the key's queue; if there is certainly
    /// none, the request does not wait for that queue.
    nonisolated(nonsending) private func interruptedBody(
        of url: URL
    ) async throws(KingfisherError) -> BodyFile? {
        guard let bodyCache, options.resumable else { return nil }
        let folder = bodyCache.bodies
        guard folder.hasPartial(for: url.absoluteString) ?? !skipsCaches else { return nil }
        return try await request.wait { [key] (resume: Resume<BodyFile?>) in
            bodyCache.diskQueue.run(key: key) { resume(folder.openPartial(for: url.absoluteString)) }
        }
    }

    private func order(
        _ url: URL, _ modified: URLRequest?, _ validators: HTTPFreshness?, since mark: ChangeCounter.Mark?,
        continuing interrupted: BodyFile?
    ) -> DownloadOrder {
        // The request itself changes to the caller's queue, on completion.
        var options = options
        options.callbackQueue = .untouch
        return DownloadOrder(
            url: url, options: options, task: task, cacheMark: mark,
            validators: validators, admission: request.admission, progressBlock: request.plan.progressBlock,
            observer: request.plan.downloadObserver, bodies: bodies(for: url), modifiedRequest: modified,
            interrupted: interrupted, removalNumber: removalNumber)
    }

    nonisolated(nonsending) private func loadData(
        from provider: any ImageDataProvider
    ) async throws(KingfisherError) -> FetchOutcome {
        var mark = rechecksMemory ? insertions : nil
        // Read before the file: if it changes in the meantime, the next request loads it again.
        let freshness = loadedSource.versionFreshness(by: request.targetCache.clock)
        let identity = ProviderIdentity(
            provider, requiresFreshData: options.forceRefresh, fileVersion: freshness?.fileVersion,
            removalNumber: removalNumber)
        while true {
            let shared = try await request.wait {
                [self, mark] (resume: Resume<SharedOutcome<Result<ProcessingInput, any Error>>>) in
                share(
                    request.targetCache.shared.provided, identity, acceptsCompleted: !options.forceRefresh,
                    since: mark, resume: resume
                ) { leader in
                    let load = ProviderLoad()
                    leader.whenAbandoned { load.cancel() }
                    load.start(provider) { result in
                        let input = result.map { ProcessingInput(.data($0), freshness: freshness) }
                        // After a failure the next request, such as a retry, loads again.
                        leader.complete(input, keeping: input.isSuccess ? .whileJoined : .none)
                    }
                }
            }
            switch shared {
            case .outcome(.success(let input)): return .bytes(input, nil, nil)
            case .outcome(.failure(let error)):
                throw .imageSettingError(reason: .dataProviderError(provider: provider, error: error))
            case .cacheHasChanged:
                mark = request.targetCache.insertions.mark
                if let hit = usableImageInMemory() { return .inCache(hit) }
            }
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
