public import Foundation

/// Initializers without a progress block, so that a trailing closure is the completion handler.
extension ImagePrefetcher {
    /// Creates a prefetcher for `urls` that reports only completion.
    public convenience init(
        urls: [URL], options: KingfisherOptionsInfo? = nil,
        completionHandler: @escaping PrefetcherCompletionHandler
    ) {
        self.init(
            urls: urls, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Creates a prefetcher for `resources` that reports only completion.
    public convenience init(
        resources: [any Resource], options: KingfisherOptionsInfo? = nil,
        completionHandler: @escaping PrefetcherCompletionHandler
    ) {
        self.init(
            resources: resources, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Creates a prefetcher for `sources` that reports only completion.
    public convenience init(
        sources: [Source], options: KingfisherOptionsInfo? = nil,
        completionHandler: @escaping PrefetcherSourceCompletionHandler
    ) {
        self.init(
            sources: sources, options: options, progressBlock: nil, completionHandler: completionHandler)
    }
}
