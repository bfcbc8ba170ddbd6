public import Foundation

/// A closure behind the parentheses is the completion handler.
extension ImagePrefetcher {
    /// Prepares to fetch what `urls` name, and to tell the end only.
    public convenience init(
        urls: [URL], options: KingfisherOptionsInfo? = nil,
        completionHandler: @escaping PrefetcherCompletionHandler
    ) {
        self.init(
            urls: urls, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Prepares to fetch `resources`, and to tell the end only.
    public convenience init(
        resources: [any Resource], options: KingfisherOptionsInfo? = nil,
        completionHandler: @escaping PrefetcherCompletionHandler
    ) {
        self.init(
            resources: resources, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Prepares to fetch `sources`, and to tell the end only.
    public convenience init(
        sources: [Source], options: KingfisherOptionsInfo? = nil,
        completionHandler: @escaping PrefetcherSourceCompletionHandler
    ) {
        self.init(
            sources: sources, options: options, progressBlock: nil, completionHandler: completionHandler)
    }
}
