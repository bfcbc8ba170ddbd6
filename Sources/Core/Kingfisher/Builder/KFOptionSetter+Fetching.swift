import Foundation
public import FoundationNetworking

extension KFOptionSetter {
    /// Downloads with `downloader` instead of the manager's.
    public func downloader(_ downloader: ImageDownloader) -> Self {
        setting(\.downloader, to: downloader)
    }

    /// Sets the priority of the download, 0...1. Of the downloads waiting for a connection, the one with the
    /// highest priority starts first.
    public func downloadPriority(_ priority: Float) -> Self {
        setting(\.downloadPriority, to: priority)
    }

    /// Modifies the request before it is sent, possibly asynchronously.
    public func requestModifier(_ modifier: any AsyncImageDownloadRequestModifier) -> Self {
        setting(\.requestModifier, to: modifier)
    }

    /// Modifies the request before it is sent, on the thread that starts the download.
    public func requestModifier(_ modify: @escaping @Sendable (inout URLRequest) -> Void) -> Self {
        requestModifier(
            AnyModifier { request in
                var request = request
                modify(&request)
                return request
            })
    }

    /// Handles redirects with `handler`.
    public func redirectHandler(_ handler: any ImageDownloadRedirectHandler) -> Self {
        setting(\.redirectHandler, to: handler)
    }

    /// Handles redirects with a closure, which is called on any thread and must call each payload's
    /// completion handler exactly once.
    public func redirectHandler(_ decide: @escaping @Sendable (KF.RedirectPayload) -> Void) -> Self {
        redirectHandler(
            AnyRedirectHandler { task, response, newRequest, completionHandler in
                decide(
                    KF.RedirectPayload(
                        task: task, response: response, newRequest: newRequest,
                        completionHandler: completionHandler))
            })
    }

    /// Whether an interrupted download continues where it ended; see `KingfisherOptionsInfoItem.resumable`.
    public func resumable(_ enabled: Bool = true) -> Self {
        setting(\.resumable, to: enabled)
    }

    /// Sets the sources to try, in this order, if the requested one fails.
    public func alternativeSources(_ sources: [Source]?) -> Self {
        setting(\.alternativeSources, to: sources)
    }

    /// Retries a failed request according to `strategy`, before alternative sources; nil for never.
    public func retry(_ strategy: (any RetryStrategy)?) -> Self {
        setting(\.retryStrategy, to: strategy)
    }

    /// Retries a failed download up to `maxCount` times with a `DelayRetryStrategy`.
    public func retry(maxCount: Int, interval: DelayRetryStrategy.Interval = .seconds(3)) -> Self {
        retry(DelayRetryStrategy(maxRetryCount: maxCount, retryInterval: interval))
    }

    /// Sets the source to load instead while the network is metered.
    public func lowDataModeSource(_ source: Source?) -> Self {
        setting(\.lowDataModeSource, to: source)
    }
}
