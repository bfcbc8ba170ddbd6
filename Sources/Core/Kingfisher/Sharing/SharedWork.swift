import Foundation
import KingfisherConcurrency
import KingfisherImage

/// The work that concurrent requests of one cache share.
struct SharedWork: Sendable {
    let inputs = SingleFlight<InputIdentity, InputOutcome>(abandoned: .nothing)
    let provided = SingleFlight<ProviderIdentity, Result<ProcessingInput, any Error>>(
        abandoned: .failure(UnansweredProvider()))
    let tierReads = SingleFlight<TierRead, TierInput>(abandoned: TierInput(.absent(nil)))
}

/// Identifies the input that requests get from a cache.
enum InputIdentity: Hashable, Sendable {
    /// A file. Its version changes with each write, so that a request gets every image that was stored before
    /// it began.
    case onDisk(key: BytewiseString, version: UInt64, forcedExtension: BytewiseString?, Extending)
    /// An original. By address: the image is retained during the work, so no other can have it.
    case inMemory(ObjectIdentifier)
    case recreated(RecreatedImages.Key)

    enum Extending: Hashable {
        case nothing, cacheTime
        case expirationTime(ComparableExpiration)

        init(_ extending: ExpirationExtending) {
            self =
                switch extending {
                case .none: .nothing
                case .cacheTime: .cacheTime
                case .expirationTime(let expiration): .expirationTime(ComparableExpiration(expiration))
                }
        }
    }
}

enum InputOutcome: Sendable {
    case input(ProcessingInput)
    case nothing
    /// Another request has stored the processed image in memory.
    case isInMemory
}

/// Identifies the load of a provider. Requests with equal identities share one load.
///
/// Providers are equal if they have the same type, cache key and content URL, and, if they are `Hashable`,
/// compare equal. With `forceRefresh`, providers that are not `Hashable` and have no content URL are equal
/// only if their `ValueIdentity` is, because they may have different data.
struct ProviderIdentity: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let cacheKey: BytewiseString
    private let contentURL: URL?
    private let value: ValueIdentity?
    private let fileVersion: String?
    private let removalNumber: UInt64

    init(
        _ provider: any ImageDataProvider, requiresFreshData: Bool, fileVersion: String? = nil,
        removalNumber: UInt64 = 0
    ) {
        (self.fileVersion, self.removalNumber) = (fileVersion, removalNumber)
        type = ObjectIdentifier(Swift.type(of: provider))
        cacheKey = BytewiseString(provider.cacheKey)
        contentURL = provider.contentURL
        let isComparable = provider is any Hashable
        value = isComparable || requiresFreshData && contentURL == nil ? ValueIdentity(provider) : nil
    }
}

struct TierRead: Hashable, Sendable {
    let stack: ObjectIdentifier
    let key: BytewiseString
    let originals: Bool
}

/// What tiers have returned, with the input that its requests share.
struct TierInput: Sendable {
    let outcome: TierStack.ReadOutcome
    let input: ProcessingInput?

    init(_ outcome: TierStack.ReadOutcome) {
        self.outcome = outcome
        input =
            switch outcome {
            case .hit(let entry), .stale(let entry, _):
                ProcessingInput(.data(entry.data), freshness: entry.freshness, tags: entry.tags)
            case .negative, .absent: nil
            }
    }
}
