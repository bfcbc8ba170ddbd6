import Foundation
public import FoundationNetworking

extension KFOptionSetter {
    /// Downloads by `downloader` instead of the manager's.
    public func downloader(_ downloader: ImageDownloader) -> Self {
        setting(\.downloader, to: downloader)
    }

    /// Priority of the download, 0...1: of those that wait for a connection, the highest starts first.
    public func downloadPriority(_ priority: Float) -> Self {
        setting(\.downloadPriority, to: priority)
    }

    /// Changes the request before it is sent, possibly after waiting for something.
    public func requestModifier(_ modifier: any AsyncImageDownloadRequestModifier) -> Self {
        setting(\.requestModifier, to: modifier)
    }

    /// Changes the request before it is sent, on the thread that starts the download.
    public func requestModifier(_ modify: @escaping @Sendable (inout URLRequest) -> Void) -> Self {
        requestModifier(
            AnyModifier { request in
                var request = request
                modify(&request)
                return request
            })
    }

    /// Decides about redirects.
    public func redirectHandler(_ handler: any ImageDownloadRedirectHandler) -> Self {
        setting(\.redirectHandler, to: handler)
    }

    /// Decides about redirects, on any thread; must call each payload's completion handler exactly once.
    public func redirectHandler(_ decide: @escaping @Sendable (KF.RedirectPayload) -> Void) -> Self {
        redirectHandler(
            AnyRedirectHandler { task, response, newRequest, completionHandler in
                decide(
                    KF.RedirectPayload(
                        task: task, response: response, newRequest: newRequest,
                        completionHandler: completionHandler))
            })
    }

    /// Sources to try, in this order, when the one asked for fails.
    public func alternativeSources(_ sources: [Source]?) -> Self {
        setting(\.alternativeSources, to: sources)
    }

    /// Tries a failed request again as `strategy` decides, before alternative sources; nil for never.
    public func retry(_ strategy: (any RetryStrategy)?) -> Self {
        setting(\.retryStrategy, to: strategy)
    }

    /// Tries a failed download again, up to `maxCount` times, by a `DelayRetryStrategy`.
    public func retry(maxCount: Int, interval: DelayRetryStrategy.Interval = .seconds(3)) -> Self {
        retry(DelayRetryStrategy(maxRetryCount: maxCount, retryInterval: interval))
    }

    /// What is loaded instead while the network is metered.
    public func lowDataModeSource(_ source: Source?) -> Self {
        setting(\.lowDataModeSource, to: source)
    }
}
