"""How some behaviours are disabled, one at a time: what `prove` puts into the sources to see their tests fail.

The old text must be in its file exactly once. A change of the sources that moves it has to move it here, too.
"""

from dataclasses import dataclass

import scan


@dataclass
class Fault:
    number: str
    says: str  # what the sources do then
    file: str
    old: str
    new: str

    @property
    def problem(self):
        """What is wrong with the old text, or nothing."""
        count = (scan.ROOT / self.file).read_text().count(self.old)
        return None if count == 1 else f"{self.number}: {self.file} has the text to replace {count} times, not once"


FAULTS = [
    Fault(
        "C-6",
        "a disk hit stays on disk",
        "Sources/Kingfisher/Caching/ImageCache+Retrieve.swift",
        """\
        memoryStorage.store(
            value: image, forKey: key.computedKey(with: options.processor.identifier),
            expiration: options.memoryCacheExpiration)
        arrivals.note()
    }
""",
        """\
    }
""",
    ),
    Fault(
        "C-36",
        "a disk that is too full shrinks to its limit, not to half of it",
        "Sources/KingfisherStorage/Disk/DiskSweeper.swift",
        "leaving: Int(clamping: limit / 2)",
        "leaving: Int(clamping: limit)",
    ),
    Fault(
        "N-6",
        "progress goes on after a cancel",
        "Sources/Kingfisher/Downloading/SessionDataTask.swift",
        "        callback.progress?.stop()\n",
        "",
    ),
    Fault(
        "N-11",
        "every status is valid",
        "Sources/Kingfisher/Downloading/SessionTransfer.swift",
        "?? (200..<400).contains(response.status)",
        "?? true",
    ),
    Fault(
        "M-3",
        "a request that may only ask caches downloads",
        "Sources/Kingfisher/Route/SourceStages+Source.swift",
        "guard request.isWanted, !options.onlyFromCache || options.forceRefresh else",
        "guard request.isWanted else",
    ),
    Fault(
        "M-8",
        "a request for a variant may be given the image of an original that has changed since",
        "Sources/Kingfisher/Route/SourceStages.swift",
        "return hasProcessor ? [target, (request.originalCache, key)] : [target]",
        "return [target]",
    ),
    Fault(
        "M-15",
        "alternatives are tried in the opposite order",
        "Sources/Kingfisher/Route/FailoverPlan.swift",
        "untried.popFirst()",
        "untried.popLast()",
    ),
    Fault(
        "S-4",
        "a stale request fails over to its alternatives",
        "Sources/Kingfisher/Route/Route.swift",
        "guard request.isWanted else { return end(failure.error) }",
        "",
    ),
    Fault(
        "D-1",
        "an asynchronous provider never hears of a cancellation",
        "Sources/Kingfisher/Source/ProviderLoad.swift",
        "        task?.cancel()\n        return end\n",
        "        return end\n",
    ),
    Fault(
        "M-27",
        "a cached original is not read by the request's serializer",
        "Sources/Kingfisher/Route/SourceStages+Processing.swift",
        "serializer.image(with: data, options: unprocessed)",
        "DefaultCacheSerializer.default.image(with: data, options: unprocessed)",
    ),
    Fault(
        "M-29",
        "a cancelled request does not wait for the end of its provider",
        "Sources/Kingfisher/Source/ProviderLoad.swift",
        "        return end\n",
        "        return nil\n",
    ),
    Fault(
        "M-30",
        "a manager passes over what a subclass of a cache overrides",
        "Sources/Kingfisher/Caching/ImageCache+Retrieve.swift",
        "{ type(of: self) != ImageCache.self }",
        "{ false }",
    ),
    Fault(
        "D-8",
        "a file's explicit key is forgotten",
        "Sources/Kingfisher/Source/Resource.swift",
        "LocalFileImageDataProvider(resource: url, cacheKey: key)",
        "LocalFileImageDataProvider(fileURL: url)",
    ),
    Fault(
        "R-2",
        "a failure that no retry can undo is retried",
        "Sources/Kingfisher/Retrying/DelayRetryStrategy.swift",
        "guard context.retriedCount < maxRetryCount, context.latestError.isWorthAnotherRequest else {",
        "guard context.retriedCount < maxRetryCount else {",
    ),
    Fault(
        "R-4",
        "the second question leaves the first observer waiting",
        "Sources/Kingfisher/Retrying/NetworkRetryStrategy.swift",
        "        (context.userInfo as? NetworkObserver)?.cancel()\n",
        "",
    ),
    Fault(
        "P-2",
        "prefetching reads what is on disk into memory, unasked",
        "Sources/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "if type.cached { end(number, as: .skipped) } else { load(number, source) }",
        "_ = type\n            load(number, source)",
    ),
    Fault(
        "P-2",
        "prefetching skips by the URL's image, not by that of the processor",
        "Sources/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "processorIdentifier: options.processor.identifier,",
        'processorIdentifier: "",',
    ),
    Fault(
        "P-2",
        "prefetching with forceRefresh skips what is cached",
        "Sources/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "if options.forceRefresh || options.alsoPrefetchToMemory {",
        "if options.alsoPrefetchToMemory {",
    ),
    Fault(
        "P-2",
        "prefetching leaves on disk what is asked for in memory",
        "Sources/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "if options.forceRefresh || options.alsoPrefetchToMemory {",
        "if options.forceRefresh {",
    ),
    Fault(
        "L-4",
        "a live photo whose files had to be loaded passes for one from disk",
        "Sources/Kingfisher/LivePhoto/KingfisherManager+LivePhoto.swift",
        "cacheType: missing.isEmpty ? .disk : .none,",
        "cacheType: .disk,",
    ),
    Fault(
        "I-7",
        "an anchor outside of the image is taken as it is",
        "Sources/KingfisherImage/Geometry/CGSize+Kingfisher.swift",
        "let x = min(max(anchor.x, 0), 1) *",
        "let x = anchor.x *",
    ),
    Fault(
        "O-1",
        "the original cache does not fall back to the target cache",
        "Sources/Kingfisher/Options/OptionGroups.swift",
        """\
        if cache.originalCache == nil { cache.originalCache = cache.targetCache }
""",
        """\
""",
    ),
    Fault(
        "V-2",
        "a view without an image that is to keep its own shows no placeholder",
        "Sources/Kingfisher/Views/Loading/LoadTarget.swift",
        "if !options.keepCurrentImageWhileLoading || shownImage == nil {",
        "if !options.keepCurrentImageWhileLoading {",
    ),
    Fault(
        "V-8",
        "the indicator is visible when the handler runs",
        "Sources/Kingfisher/Views/Loading/LoadTarget.swift",
        """\
        stopIndicator()
        switch result {
        case .success(let value):
""",
        """\
        defer { stopIndicator() }
        switch result {
        case .success(let value):
""",
    ),
    Fault(
        "U-2",
        "a delegate keeps its target alive",
        "Sources/Kingfisher/Support/Delegate.swift",
        """\
        let weak = WeakReference(target)
        let bound: @Sendable (Input) -> Output? = { input in
            weak.object.map { block($0, input) }
        }
""",
        """\
        nonisolated(unsafe) let target = target
        let bound: @Sendable (Input) -> Output? = { input in
            block(target, input)
        }
""",
    ),
]
