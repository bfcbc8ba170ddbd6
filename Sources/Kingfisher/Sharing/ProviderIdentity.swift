import Foundation

/// Which run of a provider serves a request: that of any provider of the same type with the same key and
/// content URL, unless the two are known to differ (`Hashable` ones that are not equal).
///
/// Who wants fresh bytes (`forceRefresh`) shares with no provider that might have others. What neither its
/// type nor a content URL tells apart then has to be the same object.
struct ProviderIdentity: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let cacheKey: ExactText
    private let contentURL: URL?
    private let value: ValueIdentity?

    init(_ provider: any ImageDataProvider, wantsFresh: Bool) {
        type = ObjectIdentifier(Swift.type(of: provider))
        cacheKey = ExactText(provider.cacheKey)
        contentURL = provider.contentURL
        let isComparable = provider is any Hashable
        value = isComparable || wantsFresh && contentURL == nil ? ValueIdentity(provider) : nil
    }
}
