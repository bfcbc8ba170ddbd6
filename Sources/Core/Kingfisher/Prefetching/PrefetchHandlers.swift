/// Called on the main actor with the resources skipped, failed and fetched so far.
public typealias PrefetcherProgressBlock =
    @MainActor @Sendable (
        _ skippedResources: [any Resource], _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Called on the main actor with the sources skipped, failed and fetched so far.
public typealias PrefetcherSourceProgressBlock =
    @MainActor @Sendable (
        _ skippedSources: [Source], _ failedSources: [Source], _ completedSources: [Source]
    ) -> Void

/// Called on the main actor, at the end, with the resources that were skipped, have failed and were fetched.
public typealias PrefetcherCompletionHandler =
    @MainActor @Sendable (
        _ skippedResources: [any Resource], _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Called on the main actor, at the end, with the sources that were skipped, have failed and were fetched.
public typealias PrefetcherSourceCompletionHandler =
    @MainActor @Sendable (
        _ skippedSources: [Source], _ failedSources: [Source], _ completedSources: [Source]
    ) -> Void

struct PrefetchHandlers: Sendable {
    var progress: PrefetcherSourceProgressBlock?
    var completion: PrefetcherSourceCompletionHandler?

    init(progress: PrefetcherSourceProgressBlock?, completion: PrefetcherSourceCompletionHandler?) {
        self.progress = progress
        self.completion = completion
    }

    /// Handlers for resources only; sources that are data providers are not reported to them.
    init(progress: PrefetcherProgressBlock?, completion: PrefetcherCompletionHandler?) {
        if let progress {
            let lists = (skipped: ResourceList(), failed: ResourceList(), completed: ResourceList())
            self.progress = { skipped, failed, completed in
                progress(
                    lists.skipped.grow(with: skipped), lists.failed.grow(with: failed),
                    lists.completed.grow(with: completed))
            }
        }
        if let completion {
            self.completion = { skipped, failed, completed in
                completion(skipped.resources, failed.resources, completed.resources)
            }
        }
    }
}

/// The resources of a list of sources that grows, so that a report takes the time of its new sources.
@MainActor private final class ResourceList {
    private var resources: [any Resource] = []
    private var sourceCount = 0

    nonisolated init() {}

    func grow(with sources: [Source]) -> [any Resource] {
        resources += sources.dropFirst(sourceCount).resources
        sourceCount = sources.count
        return resources
    }
}

extension Sequence<Source> {
    fileprivate var resources: [any Resource] {
        compactMap { if case .network(let resource) = $0 { resource } else { nil } }
    }
}
