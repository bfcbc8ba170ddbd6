import Foundation
import KingfisherImage
import KingfisherTransport

/// Downloads that are known to fail (`NegativeCaching`).
extension LiveStages {
    /// Whether remembered failures concern this request. A request modifier, a redirect handler, credentials,
    /// or what a rule for keys omits from the URL, may decide whether a server has the image, and the key
    /// does not contain them.
    var sharesFailures: Bool {
        guard options.requestModifier == nil, options.redirectHandler == nil else { return false }
        guard case .network(let resource) = source else { return true }
        return !resource.downloadURL.hasUserInfo && !request.downloader.maySendCredentials
            && !request.hasKeyByRule(resource)
    }

    /// Throws if an earlier request has found that the source has no image.
    func checkKnownFailure() throws(KingfisherError) {
        guard options.negativeCaching != nil, !options.forceRefresh, sharesFailures else { return }
        let cache = request.targetCache
        let now = cache.clock.now
        let known = cache.failures.withLock { [key, computedKey] in
            $0.failure(forKey: key, computedKey: computedKey, at: now)
        }
        guard let known, !cache.removals.contains(key: key, tags: options.tags, since: known.removals) else {
            return
        }
        let error = error(ofStatus: known.statusCode, until: known.expiration)
        KingfisherEvents.report(
            .failureKnown(
                source: source.eventName, statusCode: known.statusCode, retryAfter: error.retryAfter ?? 0))
        throw error
    }

    /// Remembers a failure of a download, if it says that the source has no image: in memory and, once for
    /// concurrent requests, in the tiers.
    func note(_ error: KingfisherError, of response: TransportResponse?) {
        guard let caching = options.negativeCaching, sharesFailures,
            let missingImage = missingImage(error, response)
        else { return }
        var generator = SystemRandomNumberGenerator()
        let cache = request.targetCache
        let now = cache.clock.now
        let failure = FailureTable.Failure(
            statusCode: missingImage.statusCode, noted: now,
            expiration: now + caching.lifetime(using: &generator), removals: removals.target)
        let isNew = cache.failures.withLock { [key, computedKey] in
            $0.note(failure, forKey: key, computedKey: computedKey)
        }
        guard isNew, !options.cacheMemoryOnly, let tiers = request.tiers else { return }
        let entry = TierFailure(statusCode: failure.statusCode, expiration: failure.expiration)
        tiers.write(entry, for: tierKey, leases: leases)
        // Requests with other processors look up the original.
        if hasProcessor, failure.statusCode != nil {
            tiers.write(entry, for: originalTierKey, leases: nil, originals: true)
        }
    }

    func forgetKnownFailure() {
        guard sharesFailures else { return }
        request.targetCache.failures.withLock { [key, computedKey] in
            $0.remove(forKey: key, computedKey: computedKey)
        }
    }

    func error(ofStatus statusCode: Int?, until expiration: Date) -> KingfisherError {
        let seconds = expiration.timeIntervalSince(request.targetCache.clock.now)
        return .resourceError(reason: .knownFailure(statusCode: statusCode, retryAfter: max(seconds, 0)))
    }

    private struct MissingImage {
        /// Nil if the response is not an image.
        let statusCode: Int?
    }

    /// Nil unless `error` says that the source has no image. An empty body may be truncated, a file that a
    /// codec recognizes may be truncated or exceed a limit, and bytes under a coding that is not known may be
    /// an image.
    private func missingImage(_ error: KingfisherError, _ response: TransportResponse?) -> MissingImage? {
        if error.isNotFoundOrGone, case .responseError(.invalidHTTPStatusCode(let response)) = error {
            return MissingImage(statusCode: response.statusCode)
        }
        guard case .processorError(.processingFailed(_, .data(let data))) = error, !data.isEmpty,
            response?.hasUnknownCoding != true,
            options.decodingContext.run({ ImageCodecs.codec(for: data) == nil })
        else { return nil }
        return MissingImage(statusCode: nil)
    }
}
