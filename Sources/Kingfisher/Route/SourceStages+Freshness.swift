import Foundation
import FoundationNetworking
import KingfisherImage
import KingfisherTransport

/// What servers say about how long images may be used.
extension SourceStages {
    /// What is known of the freshness of an image in the target cache.
    func freshness(of image: KFCrossPlatformImage) -> HTTPFreshness? {
        request.targetCache.notes.freshness(of: image, forKey: computedKey)
    }

    func reuse(of answer: CachedAnswer) -> HTTPFreshness.Reuse {
        respectsFreshness ? answer.freshness.map(reuse) ?? .fresh : .fresh
    }

    func reuse(of freshness: HTTPFreshness) -> HTTPFreshness.Reuse {
        freshness.reuse(for: accept(for: freshness), at: request.targetCache.clock.now)
    }

    /// What the request would say that it accepts. A modifier is run for images that vary on it only.
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

    func confirmed(_ answer: CachedAnswer, by arrival: ResponseArrival) -> CachedAnswer? {
        let confirmation = answer.freshness.flatMap {
            arrival.confirmation(of: $0, by: request.targetCache.clock)
        }
        return confirmation.map(answer.with)
    }

    nonisolated(nonsending) func store(
        confirmed: CachedAnswer, insteadOf answer: CachedAnswer, _ arrival: ResponseArrival
    ) async throws(KingfisherError) {
        if confirmed.isStorable {
            await renew(confirmed, insteadOf: answer, arrival)
        } else if hasUnchangedFiles(answer) {
            removeStored()
        }
        // What was handed out before is still good.
        guard !request.isRenewal, request.isWanted else { throw notExisting }
    }

    /// Notes a confirmation; returns when the file is renewed where the request waits for that.
    nonisolated(nonsending) private func renew(
        _ confirmed: CachedAnswer, insteadOf answer: CachedAnswer, _ arrival: ResponseArrival
    ) async {
        guard let freshness = confirmed.freshness, let old = answer.freshness else { return }
        let (cache, key) =
            answer.isOriginal ? (request.originalCache, key) : (request.targetCache, computedKey)
        // With `cacheMemoryOnly`, too, where it came from a file: that is not written, only known to be good.
        guard !options.cacheMemoryOnly || answer.isFromFile else {
            if let image = answer.image { cache.notes.note(freshness, of: image, forKey: key) }
            return
        }
        let confirm: @Sendable (@escaping @Sendable () -> Void) -> Void = { [options] completion in
            cache.confirm(
                freshness, insteadOf: old, of: answer.image, forComputedKey: key, options: options,
                renewals: arrival.renewals, completion: completion)
        }
        guard options.waitForCache else { return confirm {} }
        // A cancellation has been reported by then.
        _ = try? await request.wait { (resume: Resume<Bool>) in confirm { resume(true) } }
    }

    func allowsStale(_ answer: CachedAnswer, after error: KingfisherError) -> Bool {
        guard let freshness = answer.freshness, request.isWanted, !request.isRenewal else { return false }
        return freshness.allowsStale(
            for: accept(for: freshness),
            after: options.onlyFromCache ? .disconnected : error.freshnessFailure,
            at: request.targetCache.clock.now)
    }

    func forget(_ answer: CachedAnswer, after error: KingfisherError) {
        if error.saysGone, hasUnchangedFiles(answer) { removeStored() }
    }
}

/// Whether what the caches held was replaced or removed meanwhile: an answer must not take a newer one's
/// place.
extension SourceStages {
    /// What the caches hold now of what the answer depends on.
    private func trace(of answer: CachedAnswer) -> CacheTrace {
        let places = answer.isOriginal ? places : [places[0]]
        return CacheTrace(
            entries: places.map { cache, key in
                CacheTrace.Entry(
                    version: cache.traffic.version(of: key),
                    image: cache.memoryStorage.value(forKey: key, extendingExpiration: .none))
            })
    }

    func traced(_ answer: CachedAnswer) -> CachedAnswer {
        visitCaches()
        return answer.with(trace(of: answer))
    }

    func isUnchanged(_ answer: CachedAnswer) -> Bool {
        answer.trace.map { $0.isSame(as: trace(of: answer)) } ?? true
    }

    /// The same of the files alone: others may have read them into memory.
    private func hasUnchangedFiles(_ answer: CachedAnswer) -> Bool {
        answer.trace.map { $0.hasSameFiles(as: trace(of: answer)) } ?? true
    }
}

extension KingfisherParsedOptionsInfo {
    /// These options for an image that is loaded in the background.
    var ofRenewal: KingfisherParsedOptionsInfo {
        var options = self
        options.change { groups in
            groups.delivery.callbackQueue = .untouch
            groups.fetch.loadsNothingElse()
            groups.fetch.downloadObserver = nil
        }
        return options
    }
}

extension KingfisherError {
    /// What the failure of a download says about the server.
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

    /// Whether the server has nothing under the URL any more.
    var saysGone: Bool {
        guard case .responseError(.invalidHTTPStatusCode(let response)) = self else { return false }
        return [404, 410].contains(response.statusCode)
    }
}
