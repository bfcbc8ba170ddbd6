extension KFOptionSetter {
    /// Sets the expiration of the image in memory; nil for the storage's expiration.
    public func memoryCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.memoryCacheExpiration, to: expiration)
    }

    /// Sets how access extends the expiration in memory.
    public func memoryCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.memoryCacheAccessExtendingExpiration, to: extending)
    }

    /// Sets the expiration of the image on disk; nil for the storage's expiration.
    public func diskCacheExpiration(_ expiration: StorageExpiration?) -> Self {
        setting(\.diskCacheExpiration, to: expiration)
    }

    /// Sets how access extends the expiration on disk.
    public func diskCacheAccessExtending(_ extending: ExpirationExtending) -> Self {
        setting(\.diskCacheAccessExtendingExpiration, to: extending)
    }
}
