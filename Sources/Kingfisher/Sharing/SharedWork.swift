import Foundation
import KingfisherConcurrency
import KingfisherImage

/// The work that concurrent requests of one cache share.
struct SharedWork: Sendable {
    let reads = SingleFlight<DiskReading, DiskReadOutcome>(abandoned: .nothing)
    let originals = SingleFlight<OriginalIdentity, ProcessingInput?>(abandoned: nil)
    let provided = SingleFlight<ProviderIdentity, Result<ProcessingInput, any Error>>(
        abandoned: .failure(UnansweredProvider()))
    let tierReads = SingleFlight<TierRead, TierStack.ReadOutcome>(abandoned: .absent(nil))
}

/// Identifies a read of a file. Equal reads share the image.
///
/// The version changes with each write, so that a request gets every image that was stored before it began.
struct DiskReading: Hashable, Sendable {
    let computedKey: BytewiseString
    let version: UInt64
    let forcedExtension: BytewiseString?
    let serializer: ValueIdentity
    let variant: ImageVariant
    let extending: Extending

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

enum DiskReadOutcome: Sendable {
    case image(KFCrossPlatformImage)
    case inMemory(KFCrossPlatformImage)
    case nothing
    case refused(KingfisherError)
}

enum OriginalIdentity: Hashable, Sendable {
    case onDisk(key: BytewiseString, version: UInt64, forcedExtension: BytewiseString?, DiskReading.Extending)
    /// By address: the image is retained during the work, so no other can have it.
    case inMemory(ObjectIdentifier)
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

    init(_ provider: any ImageDataProvider, requiresFreshData: Bool) {
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
