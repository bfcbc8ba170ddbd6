extension KingfisherManager {
    /// The key under which this manager caches the image of `source`: its explicit key, or the key that the
    /// ``cacheKeyRule`` computes.
    ///
    ///     let manager = KingfisherManager.shared
    ///     let key = manager.cacheKey(for: .network(url))
    ///     let isCached = manager.cache.isCached(forKey: key)
    ///
    /// The `cacheKey` of a source, resource or URL does not know the rule of a manager.
    public func cacheKey(for source: Source) -> String { keyed(source).cacheKey }

    /// The key under which this manager caches the image of `resource`. See the method for a source.
    public func cacheKey(for resource: any Resource) -> String { cacheKey(for: resource.convertToSource()) }
}
