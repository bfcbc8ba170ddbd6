import Foundation
import FoundationNetworking
import KingfisherImage
import KingfisherTransport

extension SourceRetrieval {
    /// Ends with what a cache has where its server lets it, and asks the server where not.
    func use(_ answer: CachedAnswer, _ task: DownloadTask) {
        guard let freshness = answer.freshness, heedsFreshness else {
            return answer.hand(to: self, answer.freshness)
        }
        let reuse = reuse(of: freshness)
        // Another request may have brought a better one meanwhile.
        if reuse != .fresh, let hit = usableHit { return finish(with: hit, task) }
        switch reuse {
        case .fresh:
            answer.hand(to: self, freshness)
        case .staleWhileRevalidate:
            // Not before the end: what comes of the renewal is newer, and has to be the last
            // that is stored and shown.
            if let renewal = request.renewal(of: source) {
                afterSuccess { renewal.renew(answer) }
            }
            traced(answer).hand(to: self, freshness)
        case .revalidate:
            load(task, insteadOf: traced(answer))
        case .unusable:
            load(task)
        }
    }

    /// Asks for what is newer than an answer that was handed out.
    private func renew(_ answer: CachedAnswer) {
        visitCaches()
        load(DownloadTask(), insteadOf: traced(answer))
    }

    /// What is known of the freshness of a picture in the target cache.
    func freshness(of picture: KFCrossPlatformImage) -> HTTPFreshness? {
        request.targetCache.notes.freshness(of: picture, forKey: computedKey)
    }

    private func reuse(of freshness: HTTPFreshness, runsModifier: Bool = true) -> HTTPFreshness.Reuse {
        freshness.reuse(
            for: accept(for: freshness, runsModifier: runsModifier), at: request.targetCache.clock.now)
    }

    /// What another look into the cache would find, if that may be handed out.
    private var usableHit: MemoryHit? {
        guard looksAgain, let picture = pictureAtHand,
            freshness(of: picture).map({ reuse(of: $0) == .fresh }) ?? true
        else { return nil }
        return hit(picture)
    }

    /// Whether a picture may be handed out without a question to anybody. Runs no code of users.
    func isUsable(_ picture: KFCrossPlatformImage) -> Bool {
        guard heedsFreshness, let freshness = freshness(of: picture) else { return true }
        return reuse(of: freshness, runsModifier: false) == .fresh
    }

    /// What the request would say that it accepts. A modifier is run for pictures that vary on it only.
    private func accept(
        for freshness: HTTPFreshness, runsModifier: Bool = true
    ) -> HTTPFreshness.RequestAccept {
        guard freshness.variance == .accept, case .network(let resource) = source else { return .unknown }
        let plain = URLRequest(url: resource.downloadURL)
        switch options.requestModifier {
        case nil: return .known(request.downloader.accept(of: plain))
        case let modifier as any ImageDownloadRequestModifier where runsModifier:
            let modified: URLRequest? = modifier.modified(for: plain)
            return modified.map { .known(request.downloader.accept(of: $0)) } ?? .unknown
        default: return .unknown
        }
    }
}

/// What the server has answered.
extension SourceRetrieval {
    /// What to ask the server about an answer, and to do when that is still good; nil to ask
    /// for a whole picture.
    func revalidation(of answer: CachedAnswer?, _ task: DownloadTask) -> Revalidation? {
        guard let answer, answer.hasValidators, let old = answer.freshness else { return nil }
        return Revalidation(freshness: old) { [self] arrival in
            guard let freshness = arrival.confirmation(of: old, by: request.targetCache.clock) else {
                // It speaks of another picture: from another URL than before, or with another tag.
                var answer = answer
                answer.hasValidators = false
                return load(task, insteadOf: answer)
            }
            confirm(answer, old, freshness, arrival)
        }
    }

    private func confirm(
        _ answer: CachedAnswer, _ old: HTTPFreshness, _ freshness: HTTPFreshness, _ arrival: ResponseArrival
    ) {
        let end: @Sendable () -> Void = { [self] in
            // Nobody waits for what was handed out before.
            guard !request.isRenewal, isWanted else { return finish(.failure(notExisting)) }
            answer.hand(to: self, freshness)
        }
        guard freshness.isStorable else {
            if hasUnchangedFiles(answer) { removeStored() }
            return end()
        }
        let isAwaited = options.waitForCache
        let (cache, picture, key) =
            switch answer.place {
            case .target(let picture): (request.targetCache, Optional(picture), computedKey)
            case .original(let picture): (request.originalCache, picture, self.key)
            }
        // With `cacheMemoryOnly`, too, where it came from a file: that is not written, only known to be good.
        let renewsFile = !options.cacheMemoryOnly || answer.isFromDisk
        guard renewsFile else {
            if let picture { cache.notes.note(freshness, of: picture, forKey: key) }
            return end()
        }
        cache.confirm(
            freshness, insteadOf: old, of: picture, forComputedKey: key, options: options,
            renewals: arrival.renewals
        ) { if isAwaited { end() } }
        if !isAwaited { end() }
    }

    /// Ends with `error`, or with the stale answer where that may take the error's place.
    func finish(_ error: KingfisherError, insteadOf answer: CachedAnswer?) {
        if let answer, let freshness = answer.freshness, isWanted, !request.isRenewal,
            freshness.allowsStale(
                for: accept(for: freshness),
                after: options.onlyFromCache ? .disconnected : error.freshnessFailure,
                at: request.targetCache.clock.now)
        {
            return answer.hand(to: self, freshness)
        }
        if let answer, error.saysGone, hasUnchangedFiles(answer) { removeStored() }
        finish(.failure(error))
    }

    /// Has both caches forget a picture that is no more, or was not to be kept.
    func removeStored() {
        for (cache, key) in places {
            cache.remove(
                forComputedKey: key, forcedExtension: options.forcedExtension, fromMemory: true,
                fromDisk: true, callbackQueue: .untouch
            ) { _ in }
        }
    }
}

extension ImageRetrieval {
    /// A retrieval that renews in the background what was handed out; nil where the network is
    /// to be left alone.
    ///
    /// - Parameter forcesRefresh: Whether what caches have by now does not do.
    func renewal(of source: Source, forcesRefresh: Bool = false) -> SourceRetrieval? {
        guard !options.onlyFromCache, !sparesNetwork else { return nil }
        let request = ImageRetrieval(renewing: source, for: self, forcesRefresh: forcesRefresh)
        return SourceRetrieval(of: source, for: request)
    }
}

extension KingfisherParsedOptionsInfo {
    /// These options for a picture that nobody waits for.
    var ofRenewal: KingfisherParsedOptionsInfo {
        var options = self
        options.callbackQueue = .untouch
        options.alternativeSources = nil
        options.lowDataModeSource = nil
        options.retryStrategy = nil
        options.downloadObserver = nil
        return options
    }
}
