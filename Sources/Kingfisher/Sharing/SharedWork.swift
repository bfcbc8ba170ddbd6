import Foundation
import KingfisherConcurrency
import KingfisherImage

/// What requests of one cache do together.
struct SharedWork: Sendable {
    let reads = SingleFlight<DiskReading, DiskReadOutcome>(abandoned: .nothing)
    let originals = SingleFlight<OriginalIdentity, ProcessingInput?>(abandoned: nil)
    let provided = SingleFlight<ProviderIdentity, Result<ProcessingInput, any Error>>(
        abandoned: .failure(UnansweredProvider()))
    let tierReads = SingleFlight<TierRead, TierStack.ReadOutcome>(abandoned: .absent(nil))
}

/// A read of a file for a request: equal ones share the image.
///
/// A file that this cache has changed meanwhile is another one, so that a request sees what was stored before
/// it.
struct DiskReading: Hashable, Sendable {
    let computedKey: BytewiseString
    let version: UInt64
    let forcedExtension: BytewiseString?
    let serializer: ValueIdentity
    let variant: ImageVariant
    let extending: Extending

    /// What reading does to the expiration of the file.
    enum Extending: Hashable {
        case nothing, cacheTime
        case lifetime(Lifetime)

        init(_ extending: ExpirationExtending) {
            self =
                switch extending {
                case .none: .nothing
                case .cacheTime: .cacheTime
                case .expirationTime(let expiration): .lifetime(Lifetime(expiration))
                }
        }
    }
}

/// What a look at the disk came to.
enum DiskReadOutcome: Sendable {
    case image(KFCrossPlatformImage)
    /// The image came into memory before the disk was asked.
    case inMemory(KFCrossPlatformImage)
    case nothing
    /// There is no memory to decode it in.
    case refused(KingfisherError)
}

/// An original that a cache has, to make images of.
enum OriginalIdentity: Hashable, Sendable {
    case onDisk(key: BytewiseString, version: UInt64, forcedExtension: BytewiseString?, DiskReading.Extending)
    /// The image is held while it is worked on, so no other can have its address.
    case inMemory(ObjectIdentifier)
}

/// Which run of a provider serves a request: that of any provider of the same type with the same key and
/// content URL, unless the two are known to differ (`Hashable` ones that are not equal).
///
/// Who wants fresh bytes (`forceRefresh`) shares with no provider that might have others. What neither its
/// type nor a content URL tells apart then has to be the same object.
struct ProviderIdentity: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let cacheKey: BytewiseString
    private let contentURL: URL?
    private let value: ValueIdentity?

    init(_ provider: any ImageDataProvider, wantsFresh: Bool) {
        type = ObjectIdentifier(Swift.type(of: provider))
        cacheKey = BytewiseString(provider.cacheKey)
        contentURL = provider.contentURL
        let isComparable = provider is any Hashable
        value = isComparable || wantsFresh && contentURL == nil ? ValueIdentity(provider) : nil
    }
}

/// One look into the tiers; equal ones are shared.
struct TierRead: Hashable, Sendable {
    let stack: ObjectIdentifier
    let key: BytewiseString
    let originals: Bool
}
