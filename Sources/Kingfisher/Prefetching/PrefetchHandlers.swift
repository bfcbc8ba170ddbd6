/// Told on the main actor of the resources that were skipped, have failed and were fetched so far.
public typealias PrefetcherProgressBlock =
    @MainActor @Sendable (
        _ skippedResources: [any Resource], _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Told on the main actor of the sources that were skipped, have failed and were fetched so far.
public typealias PrefetcherSourceProgressBlock =
    @MainActor @Sendable (
        _ skippedSources: [Source], _ failedSources: [Source], _ completedSources: [Source]
    ) -> Void

/// Told on the main actor, at the end, of the resources that were skipped, have failed and were fetched.
public typealias PrefetcherCompletionHandler =
    @MainActor @Sendable (
        _ skippedResources: [any Resource], _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Told on the main actor, at the end, of the sources that were skipped, have failed and were fetched.
public typealias PrefetcherSourceCompletionHandler =
    @MainActor @Sendable (
        _ skippedSources: [Source], _ failedSources: [Source], _ completedSources: [Source]
    ) -> Void

/// Who wants to hear of a prefetcher.
struct PrefetchHandlers: Sendable {
    var progress: PrefetcherSourceProgressBlock?
    var completion: PrefetcherSourceCompletionHandler?

    init(progress: PrefetcherSourceProgressBlock?, completion: PrefetcherSourceCompletionHandler?) {
        self.progress = progress
        self.completion = completion
    }

    /// Handlers that know resources only; they are not told of providers.
    init(progress: PrefetcherProgressBlock?, completion: PrefetcherCompletionHandler?) {
        if let progress {
            self.progress = { skipped, failed, completed in
                progress(skipped.resources, failed.resources, completed.resources)
            }
        }
        if let completion {
            self.completion = { skipped, failed, completed in
                completion(skipped.resources, failed.resources, completed.resources)
            }
        }
    }
}

extension [Source] {
    /// The resources among the sources.
    fileprivate var resources: [any Resource] {
        compactMap { if case .network(let resource) = $0 { resource } else { nil } }
    }
}
