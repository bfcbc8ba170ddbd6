public import Foundation

/// An event during the loading of an image.
///
/// URLs and texts contain no credentials. Durations are in seconds, sizes in bytes. Later versions may add
/// cases, so a `switch` needs a `default`.
public enum KingfisherEvent: Sendable {
    /// A request has started. `source` is the URL of a network source, or the cache key of a provider.
    case requestBegan(source: String)
    /// A request has completed with an image from memory, from disk, or (`.none`) from its source. The
    /// duration is 0 if memory had the image on the caller's thread.
    case requestFinished(source: String, cacheType: CacheType, duration: TimeInterval)
    /// A request has failed, after all retries and alternatives.
    case requestFailed(source: String, error: KingfisherError, duration: TimeInterval)
    /// A retry strategy restarts a request after `error`. `attempt` counts from 1.
    case requestRetried(source: String, attempt: Int, error: KingfisherError)
    /// A request was cancelled by its caller.
    case requestCancelled(source: String, duration: TimeInterval)

    /// A source was not loaded, because an earlier request has found that it has no image
    /// (``NegativeCaching``). `statusCode` is nil if the response was not an image, `retryAfter` is in
    /// seconds.
    case failureKnown(source: String, statusCode: Int?, retryAfter: TimeInterval)

    /// A transfer has started, for its first caller.
    case downloadStarted(url: URL)
    /// A further caller shares a transfer.
    case downloadJoined(url: URL)
    /// A transfer continues the body of an interrupted one: the server sends the rest after `offset` of
    /// `total` bytes.
    case downloadResumed(url: URL, offset: Int, total: Int)
    /// A server redirects a transfer.
    case downloadRedirected(url: URL, to: URL, status: Int)
    /// A server asks for credentials.
    case credentialDemanded(url: URL, realm: String)
    /// A transfer has received all bytes. `duration` includes the wait for a connection.
    case downloadFinished(url: URL, status: Int, bytes: Int, duration: TimeInterval)
    /// A transfer has failed, for all of its callers.
    case downloadFailed(url: URL, error: KingfisherError, duration: TimeInterval)
    /// A caller of a transfer has cancelled. If `isLast`, the transfer ends.
    case downloadCancelled(url: URL, isLast: Bool)

    /// A processor has run. `processor` is its identifier, empty for plain decoding.
    case processed(source: String, processor: String, isSuccess: Bool, duration: TimeInterval)
    /// An image was written to disk.
    case stored(key: String, bytes: Int)

    /// The memory reservations of a manager have changed: `bytesInFlight` of `budget` bytes are reserved, and
    /// `queueLength` loads wait for their first reservation.
    case admissionChanged(bytesInFlight: Int, queueLength: Int, budget: Int)
    /// A load was refused because the queue for memory is full. `retryAfter` is in seconds.
    case admissionRefused(source: String, retryAfter: TimeInterval)

    /// A tier below the disk had a valid entry. See `KingfisherManager.tiers`.
    case tierHit(tier: String, key: String, bytes: Int, duration: TimeInterval)
    /// A tier had an entry that should be replaced, and it was delivered. If `renews`, the request has the
    /// lease to replace it.
    case tierStale(tier: String, key: String, bytes: Int, renews: Bool, duration: TimeInterval)
    /// A tier had no usable entry: `absent`, `leased` (absent, and the request has the lease to make it),
    /// `busy`, `negative`, `expired`, or the name of an error, such as `deadline` or `unavailable.timedOut`.
    case tierMissed(tier: String, key: String, reason: String, duration: TimeInterval)
    /// An entry was written to a tier.
    case tierWritten(tier: String, key: String, bytes: Int, duration: TimeInterval)
    /// An entry, or a failure, was not written to a tier: `dropped` from a full queue, or the name of an
    /// error.
    case tierWriteFailed(tier: String, key: String, reason: String)
    /// The circuit breaker of a node of a tier has changed: `open` after repeated failures, then the node is
    /// not asked; `probing` while one command decides; `closed` when the node works again.
    case tierNodeChanged(node: String, state: String)
}

extension KingfisherEvent {
    /// The short name of the event, such as "download.finished".
    public var name: String {
        switch self {
        case .requestBegan: "request.began"
        case .requestFinished: "request.finished"
        case .requestFailed: "request.failed"
        case .requestRetried: "request.retried"
        case .requestCancelled: "request.cancelled"
        case .failureKnown: "failure.known"
        case .downloadStarted: "download.started"
        case .downloadJoined: "download.joined"
        case .downloadResumed: "download.resumed"
        case .downloadRedirected: "download.redirected"
        case .credentialDemanded: "download.credential"
        case .downloadFinished: "download.finished"
        case .downloadFailed: "download.failed"
        case .downloadCancelled: "download.cancelled"
        case .processed: "image.processed"
        case .stored: "image.stored"
        case .admissionChanged: "admission.changed"
        case .admissionRefused: "admission.refused"
        case .tierHit: "tier.hit"
        case .tierStale: "tier.stale"
        case .tierMissed: "tier.missed"
        case .tierWritten: "tier.written"
        case .tierWriteFailed: "tier.writeFailed"
        case .tierNodeChanged: "tier.nodeChanged"
        }
    }

    /// The URL or key that the event concerns.
    public var subject: String {
        switch self {
        case .requestBegan(let source), .requestFinished(let source, _, _), .requestFailed(let source, _, _),
            .requestRetried(let source, _, _), .requestCancelled(let source, _),
            .failureKnown(let source, _, _), .processed(let source, _, _, _),
            .admissionRefused(let source, _):
            source
        case .downloadStarted(let url), .downloadJoined(let url), .downloadResumed(let url, _, _),
            .downloadRedirected(let url, _, _), .credentialDemanded(let url, _),
            .downloadFinished(let url, _, _, _),
            .downloadFailed(let url, _, _), .downloadCancelled(let url, _):
            url.absoluteString
        case .stored(let key, _), .tierHit(_, let key, _, _), .tierStale(_, let key, _, _, _),
            .tierMissed(_, let key, _, _), .tierWritten(_, let key, _, _), .tierWriteFailed(_, let key, _):
            key
        case .tierNodeChanged(let node, _): node
        case .admissionChanged: "memory"
        }
    }

    /// The other values of the event, as strings by name.
    public var details: [String: String] {
        switch self {
        case .requestBegan, .downloadStarted, .downloadJoined: [:]
        case .requestFinished(_, let cacheType, let duration):
            ["from": "\(cacheType)", "duration": seconds(duration)]
        case .requestFailed(_, let error, let duration), .downloadFailed(_, let error, let duration):
            ["error": error.summary, "duration": seconds(duration)]
        case .requestRetried(_, let attempt, let error): ["attempt": "\(attempt)", "error": error.summary]
        case .requestCancelled(_, let duration): ["duration": seconds(duration)]
        case .failureKnown(_, let status, let retryAfter):
            ["status": status.map { "\($0)" } ?? "none", "retryAfter": seconds(retryAfter)]
        case .downloadResumed(_, let offset, let total): ["offset": "\(offset)", "total": "\(total)"]
        case .downloadRedirected(_, let target, let status):
            ["to": target.absoluteString, "status": "\(status)"]
        case .credentialDemanded(_, let realm): ["realm": realm]
        case .downloadFinished(_, let status, let bytes, let duration):
            ["status": "\(status)", "bytes": "\(bytes)", "duration": seconds(duration)]
        case .downloadCancelled(_, let isLast): ["last": "\(isLast)"]
        case .processed(_, let processor, let isSuccess, let duration):
            ["processor": processor, "success": "\(isSuccess)", "duration": seconds(duration)]
        case .stored(_, let bytes): ["bytes": "\(bytes)"]
        case .admissionChanged(let bytesInFlight, let queueLength, let budget):
            ["bytes": "\(bytesInFlight)", "queue": "\(queueLength)", "budget": "\(budget)"]
        case .admissionRefused(_, let retryAfter): ["retryAfter": seconds(retryAfter)]
        case .tierHit(let tier, _, let bytes, let duration),
            .tierWritten(let tier, _, let bytes, let duration):
            ["tier": tier, "bytes": "\(bytes)", "duration": seconds(duration)]
        case .tierMissed(let tier, _, let reason, let duration):
            ["tier": tier, "reason": reason, "duration": seconds(duration)]
        case .tierStale(let tier, _, let bytes, let renews, let duration):
            ["tier": tier, "bytes": "\(bytes)", "renews": "\(renews)", "duration": seconds(duration)]
        case .tierWriteFailed(let tier, _, let reason): ["tier": tier, "reason": reason]
        case .tierNodeChanged(_, let state): ["state": state]
        }
    }

    private func seconds(_ duration: TimeInterval) -> String {
        "\((duration * 1_000_000).rounded() / 1_000_000)"
    }
}
