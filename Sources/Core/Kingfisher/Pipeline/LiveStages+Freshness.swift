import Foundation
import FoundationNetworking
import KingfisherImage
import KingfisherTransport

/// The freshness of responses (RFC 9111) and of local files.
extension LiveStages {
    func freshness(of image: KFCrossPlatformImage) -> HTTPFreshness? {
        request.targetCache.notes.freshness(of: image, forKey: computedKey)
    }

    func reuse(of hit: CacheHit) -> HTTPFreshness.Reuse {
        guard let freshness = hit.freshness, respectsFreshness || freshness.fileVersion != nil else {
            return .fresh
        }
        return reuse(of: freshness)
    }

    /// Whether bytes with this freshness belong to the request, by what they vary on.
    func isForRequest(_ freshness: HTTPFreshness?) -> Bool {
        guard respectsFreshness, let freshness else { return true }
        return freshness.matches(accept(for: freshness))
    }

    func reuse(of freshness: HTTPFreshness) -> HTTPFreshness.Reuse {
        if freshness.fileVersion != nil {
            return loadedSource.isCurrent(freshness, options) ? .fresh : .unusable
        }
        return options.bounded(freshness).reuse(
            for: accept(for: freshness), at: request.targetCache.clock.now)
    }

    /// The `Accept` header that the request would send. Request modifiers run only for images that vary on
    /// it.
    private func accept(for freshness: HTTPFreshness) -> HTTPFreshness.RequestAccept {
        guard freshness.variance == .accept, case .network(let resource) = source else { return .unknown }
        let plain = URLRequest(url: resource.downloadURL)
        switch options.requestModifier {
        case nil: return .known(request.downloader.accept(of: plain))
        case let modifier as any ImageDownloadRequestModifier:
            let modified: URLRequest? = modifier.modified(for: plain)
            return modified.map { .known(request.downloader.accept(of: $0)) } ?? .unknown
        default: return .unknown
        }
    }

    func isStorable(_ hit: CacheHit) -> Bool {
        hit.freshness.map { options.bounded($0).isStorable } ?? true
    }

    func confirmed(_ hit: CacheHit, by arrival: ResponseArrival) -> CacheHit? {
        let confirmation = hit.freshness.flatMap {
            arrival.confirmation(of: $0, by: request.targetCache.clock, request.cacheKeyRule)
        }
        return confirmation.map { hit.with($0, isPrivate: arrival.isDeclaredPrivate) }
    }

    nonisolated(nonsending) func store(
        confirmed: CacheHit, insteadOf hit: CacheHit, _ arrival: ResponseArrival
    ) async throws(KingfisherError) {
        if isStorable(confirmed) {
            await renew(confirmed, insteadOf: hit, arrival)
        } else if hasUnchangedFiles(hit) {
            removeStored()
        }
        // A renewal ends here: the delivered image is still valid.
        guard !request.isRenewal, request.isWanted else { throw notFoundError }
    }

    nonisolated(nonsending) private func renew(
        _ confirmed: CacheHit, insteadOf hit: CacheHit, _ arrival: ResponseArrival
    ) async {
        guard let freshness = confirmed.freshness, let old = hit.freshness else { return }
        let (cache, key) =
            hit.isOriginal ? (request.originalCache, key) : (request.targetCache, computedKey)
        // A hit from a file renews the file even with `cacheMemoryOnly`: no image data is written.
        guard !options.cacheMemoryOnly || hit.isFromFile else {
            guard let image = hit.image else { return }
            cache.notes.note(freshness, of: image, forKey: key)
            if arrival.isDeclaredPrivate { cache.notes.notePrivate(image, forKey: key) }
            return
        }
        let confirm: @Sendable (@escaping @Sendable () -> Void) -> Void = { [options] completion in
            cache.confirm(
                freshness, isPrivate: arrival.isDeclaredPrivate, insteadOf: old, of: hit.image,
                forComputedKey: key, options: options, renewals: arrival.renewals, completion: completion)
        }
        guard options.waitForCache else { return confirm {} }
        // An error means that the request was cancelled, which has been reported.
        _ = try? await request.wait { (resume: Resume<Bool>) in confirm { resume(true) } }
    }

    func allowsStale(_ hit: CacheHit, after error: KingfisherError) -> Bool {
        guard let freshness = hit.freshness, request.isWanted, !request.isRenewal else { return false }
        return options.bounded(freshness).allowsStale(
            for: accept(for: freshness),
            after: options.onlyFromCache ? .disconnected : error.freshnessFailure,
            at: request.targetCache.clock.now)
    }

    func forget(_ hit: CacheHit, after error: KingfisherError) {
        if error.isNotFoundOrGone, hasUnchangedFiles(hit) { removeStored() }
    }
}

/// Snapshots of the caches, so that an outdated response never replaces a newer image.
extension LiveStages {
    private func snapshot(for hit: CacheHit) -> CacheSnapshot {
        let locations = hit.isOriginal ? cacheLocations : [cacheLocations[0]]
        return CacheSnapshot(
            entries: locations.map { cache, key in
                CacheSnapshot.Entry(
                    version: cache.traffic.version(of: key),
                    image: cache.memoryStorage.value(forKey: key, extendingExpiration: .none))
            })
    }

    func withSnapshot(_ hit: CacheHit) -> CacheHit {
        registerKeys()
        return hit.with(snapshot(for: hit))
    }

    func isUnchanged(_ hit: CacheHit) -> Bool {
        hit.snapshot.map { $0.isSame(as: snapshot(for: hit)) } ?? true
    }

    /// Ignores memory, because other requests may have read the files into it.
    private func hasUnchangedFiles(_ hit: CacheHit) -> Bool {
        hit.snapshot.map { $0.hasSameFiles(as: snapshot(for: hit)) } ?? true
    }
}

extension KingfisherError {
    var freshnessFailure: HTTPFreshness.Failure {
        switch self {
        case .responseError(.invalidHTTPStatusCode(let response)):
            .init(status: response.statusCode)
        case .responseError(.URLSessionError(let error)), .resourceError(.tooSlow(let error)):
            .init(
                (error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? TransportError
                    ?? .foreign(ForeignError(error)))
        default: .other
        }
    }

    var isNotFoundOrGone: Bool {
        guard case .responseError(.invalidHTTPStatusCode(let response)) = self else { return false }
        return [404, 410].contains(response.statusCode)
    }
}
