public import Foundation

/// Something that happened on the way of an image.
///
/// URLs and texts carry no name and password. Durations are in seconds, sizes in bytes. Further cases may be
/// added: a `switch` has a `default`.
public enum KingfisherEvent: Sendable {
    /// A manager was asked for an image; `source` is the URL of a network source, the key of any other.
    case requestBegan(source: String)
    /// A request has its image: from memory, from disk, or (`.none`) from its source. What memory answers
    /// on the caller's thread takes 0 seconds.
    case requestFinished(source: String, cacheType: CacheType, duration: TimeInterval)
    /// A request has failed for good.
    case requestFailed(source: String, error: KingfisherError, duration: TimeInterval)
    /// A retry strategy lets a request begin anew after `error`; `attempt` counts from 1.
    case requestRetried(source: String, attempt: Int, error: KingfisherError)
    /// A request was given up by its caller.
    case requestCancelled(source: String, duration: TimeInterval)

    /// A transfer begins, for its first caller.
    case downloadStarted(url: URL)
    /// A further caller shares a transfer.
    case downloadJoined(url: URL)
    /// A server sends a transfer elsewhere.
    case downloadRedirected(url: URL, to: URL, status: Int)
    /// A server demands a user's name and password.
    case credentialDemanded(url: URL, realm: String)
    /// All bytes are here; `duration` counts from the start of the transfer, waiting for its turn included.
    case downloadFinished(url: URL, status: Int, bytes: Int, duration: TimeInterval)
    /// A transfer has failed, for all of its callers.
    case downloadFailed(url: URL, error: KingfisherError, duration: TimeInterval)
    /// A caller has given up its share of a transfer; `isLast` ends the transfer.
    case downloadCancelled(url: URL, isLast: Bool)

    /// An image was made of new bytes; `processor` is the identifier, empty for plain decoding.
    case processed(source: String, processor: String, isSuccess: Bool, duration: TimeInterval)
    /// An image was written to the disk.
    case stored(key: String, bytes: Int)

    /// What the loads of a manager with a memory budget hold: `bytesInFlight` of `budget` bytes are reserved,
    /// and `queueLength` loads wait for their first ones. Reported with each change.
    case admissionChanged(bytesInFlight: Int, queueLength: Int, budget: Int)
    /// A load was refused because as many wait as may; `retryAfter` is in seconds.
    case admissionRefused(source: String, retryAfter: TimeInterval)

    /// A tier below the disk had an entry; see `KingfisherManager.tiers`.
    case tierHit(tier: String, key: String, bytes: Int, duration: TimeInterval)
    /// A tier had no entry that could be used: `absent`, `busy`, `negative`, or the name of an error.
    case tierMissed(tier: String, key: String, reason: String, duration: TimeInterval)
    /// An entry was written to a tier.
    case tierWritten(tier: String, key: String, bytes: Int, duration: TimeInterval)
    /// An entry was not written to a tier: `dropped` from a queue that was full, or the name of an error.
    case tierWriteFailed(tier: String, key: String, reason: String)
}

extension KingfisherEvent {
    /// What happened, as a short name: "download.finished".
    public var name: String {
        switch self {
        case .requestBegan: "request.began"
        case .requestFinished: "request.finished"
        case .requestFailed: "request.failed"
        case .requestRetried: "request.retried"
        case .requestCancelled: "request.cancelled"
        case .downloadStarted: "download.started"
        case .downloadJoined: "download.joined"
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
        case .tierMissed: "tier.missed"
        case .tierWritten: "tier.written"
        case .tierWriteFailed: "tier.writeFailed"
        }
    }

    /// What it happened to: a URL or key.
    public var subject: String {
        switch self {
        case .requestBegan(let source), .requestFinished(let source, _, _), .requestFailed(let source, _, _),
            .requestRetried(let source, _, _), .requestCancelled(let source, _),
            .processed(let source, _, _, _), .admissionRefused(let source, _):
            source
        case .downloadStarted(let url), .downloadJoined(let url), .downloadRedirected(let url, _, _),
            .credentialDemanded(let url, _), .downloadFinished(let url, _, _, _),
            .downloadFailed(let url, _, _), .downloadCancelled(let url, _):
            url.absoluteString
        case .stored(let key, _), .tierHit(_, let key, _, _), .tierMissed(_, let key, _, _),
            .tierWritten(_, let key, _, _), .tierWriteFailed(_, let key, _):
            key
        case .admissionChanged: "memory"
        }
    }

    /// Everything else about it, as texts by name.
    public var details: [String: String] {
        switch self {
        case .requestBegan, .downloadStarted, .downloadJoined: [:]
        case .requestFinished(_, let cacheType, let duration):
            ["from": "\(cacheType)", "duration": seconds(duration)]
        case .requestFailed(_, let error, let duration), .downloadFailed(_, let error, let duration):
            ["error": error.summary, "duration": seconds(duration)]
        case .requestRetried(_, let attempt, let error): ["attempt": "\(attempt)", "error": error.summary]
        case .requestCancelled(_, let duration): ["duration": seconds(duration)]
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
        case .tierWriteFailed(let tier, _, let reason): ["tier": tier, "reason": reason]
        }
    }

    private func seconds(_ duration: TimeInterval) -> String {
        "\((duration * 1_000_000).rounded() / 1_000_000)"
    }
}
