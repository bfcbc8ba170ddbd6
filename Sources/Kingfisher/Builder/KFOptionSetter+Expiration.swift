extension KFOptionSetter {
    /// How long the image stays in memory; nil for the storage's own.
    public func memoryCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.memoryCacheExpiration, to: expiration)
    }

    /// How a hit in memory moves the image's expiration there.
    public func memoryCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.memoryCacheAccessExtendingExpiration, to: extending)
    }

    /// How long the image stays on disk; nil for the storage's own.
    public func diskCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.diskCacheExpiration, to: expiration)
    }

    /// How a hit on disk moves the image's expiration there.
    public func diskCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.diskCacheAccessExtendingExpiration, to: extending)
    }
}
