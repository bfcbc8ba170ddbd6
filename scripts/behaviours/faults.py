"""Faults that disable behaviours, one at a time. `prove` inserts each into the sources and expects tests to
fail.

The old text must be in its file exactly once. If a change of the sources moves it, change it here, too.
"""

from dataclasses import dataclass

import scan


@dataclass
class Fault:
    number: str
    says: str  # the effect of the fault
    file: str
    old: str
    new: str

    @property
    def problem(self):
        """A message if the old text is not in the file exactly once, otherwise None."""
        count = (scan.ROOT / self.file).read_text().count(self.old)
        if count == 1:
            return None
        return f"{self.number}: {self.file} contains the text to replace {count} times instead of once"


FAULTS = [
    Fault(
        "C-6",
        "a disk hit is not copied to memory",
        "Sources/Core/Kingfisher/Caching/ImageCache+Retrieve.swift",
        """\
        let identifier = options.processor.identifier
        memoryStorage.store(
            value: image, forKey: key.computedKey(with: identifier),
            expiration: options.memoryCacheExpiration)
        reduced.note(image, forKey: key, processorIdentifier: identifier)
        insertions.note()
    }
""",
        """\
    }
""",
    ),
    Fault(
        "C-36",
        "a sweep by size removes files down to the limit instead of half of it",
        "Sources/Engines/KingfisherStorage/Disk/DiskSweeper.swift",
        "leaving: Int(clamping: limit / 2)",
        "leaving: Int(clamping: limit)",
    ),
    Fault(
        "N-6",
        "progress continues after a cancellation",
        "Sources/Core/Kingfisher/Downloading/SessionDataTask.swift",
        "        cancelled.callback.progress?.stop()\n",
        "",
    ),
    Fault(
        "N-11",
        "every status is valid",
        "Sources/Core/Kingfisher/Downloading/SessionTransfer.swift",
        "?? (200..<400).contains(response.status)",
        "?? true",
    ),
    Fault(
        "M-3",
        "a request with onlyFromCache downloads",
        "Sources/Core/Kingfisher/Pipeline/LiveStages+Source.swift",
        "guard request.isWanted, !options.onlyFromCache || options.forceRefresh else",
        "guard request.isWanted else",
    ),
    Fault(
        "M-8",
        "a request with a processor may get an image made from an outdated original",
        "Sources/Core/Kingfisher/Pipeline/LiveStages.swift",
        "return hasProcessor ? [target, (request.originalCache, key)] : [target]",
        "return [target]",
    ),
    Fault(
        "M-15",
        "alternative sources are tried in reverse order",
        "Sources/Core/Kingfisher/Pipeline/FailoverPlan.swift",
        "untried.popFirst()",
        "untried.popLast()",
    ),
    Fault(
        "S-4",
        "a stale request tries alternative sources",
        "Sources/Core/Kingfisher/Pipeline/RequestPipeline.swift",
        "guard request.isWanted else { return end(failure.error) }",
        "",
    ),
    Fault(
        "D-1",
        "an asynchronous provider is not cancelled",
        "Sources/Core/Kingfisher/Source/ProviderLoad.swift",
        "        task?.cancel()\n        return end\n",
        "        return end\n",
    ),
    Fault(
        "M-27",
        "a cached original is not decoded by the request's serializer",
        "Sources/Core/Kingfisher/Decoding/ImageMaking.swift",
        "serializer.image(with: data, options: options.unprocessed)",
        "DefaultCacheSerializer.default.image(with: data, options: options.unprocessed)",
    ),
    Fault(
        "M-29",
        "a cancelled request does not wait for the end of its provider",
        "Sources/Core/Kingfisher/Source/ProviderLoad.swift",
        "        return end\n",
        "        return nil\n",
    ),
    Fault(
        "N-29",
        "a suspended transfer reads on",
        "Sources/Engines/KingfisherTransport/Curl/CurlTransfer.swift",
        "        guard !loop.isSuspended else { return .paused }\n",
        "",
    ),
    Fault(
        "M-30",
        "a manager does not call the overridden methods of a cache",
        "Sources/Core/Kingfisher/Caching/ImageCache+Retrieve.swift",
        "{ type(of: self) != ImageCache.self }",
        "{ false }",
    ),
    Fault(
        "D-8",
        "a file's explicit key is ignored",
        "Sources/Core/Kingfisher/Source/Resource.swift",
        "LocalFileImageDataProvider(resource: url, cacheKey: key)",
        "LocalFileImageDataProvider(fileURL: url)",
    ),
    Fault(
        "R-2",
        "a permanent failure is retried",
        "Sources/Core/Kingfisher/Retrying/DelayRetryStrategy.swift",
        "guard context.retriedCount < maxRetryCount, context.latestError.isWorthAnotherRequest else {",
        "guard context.retriedCount < maxRetryCount else {",
    ),
    Fault(
        "R-4",
        "the second call does not cancel the first observer",
        "Sources/Core/Kingfisher/Retrying/NetworkRetryStrategy.swift",
        "        (context.userInfo as? NetworkObserver)?.cancel()\n",
        "",
    ),
    Fault(
        "P-2",
        "prefetching loads images from disk into memory by default",
        "Sources/Core/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "if type.cached, cache.isCachedImageUsable(of: keyed, options) {",
        "if !type.cached, type.cached {",
    ),
    Fault(
        "P-2",
        "prefetching looks up the unprocessed image",
        "Sources/Core/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "processorIdentifier: options.processor.identifier,",
        'processorIdentifier: "",',
    ),
    Fault(
        "P-2",
        "prefetching with forceRefresh skips cached images",
        "Sources/Core/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "if options.forceRefresh || options.alsoPrefetchToMemory {",
        "if options.alsoPrefetchToMemory {",
    ),
    Fault(
        "P-2",
        "prefetching with alsoPrefetchToMemory leaves images on disk",
        "Sources/Core/Kingfisher/Prefetching/ImagePrefetcher.swift",
        "if options.forceRefresh || options.alsoPrefetchToMemory {",
        "if options.forceRefresh {",
    ),
    Fault(
        "L-4",
        "a live photo with downloaded files is reported as loaded from disk",
        "Sources/Core/Kingfisher/LivePhoto/KingfisherManager+LivePhoto.swift",
        "cacheType: missing.isEmpty ? .disk : .none,",
        "cacheType: .disk,",
    ),
    Fault(
        "I-7",
        "an anchor outside of the image is not clamped",
        "Sources/Engines/KingfisherImage/Geometry/CGSize+Kingfisher.swift",
        "let x = min(max(anchor.x, 0), 1) *",
        "let x = anchor.x *",
    ),
    Fault(
        "O-1",
        "the original cache does not fall back to the target cache",
        "Sources/Core/Kingfisher/Options/OptionValues.swift",
        """\
        if originalCache == nil { originalCache = targetCache }
""",
        """\
""",
    ),
    Fault(
        "V-2",
        "a view without an image shows no placeholder if it should keep its image",
        "Sources/Core/Kingfisher/Views/Loading/LoadTarget.swift",
        "let keepsImage = options.keepCurrentImageWhileLoading && shownImage != nil",
        "let keepsImage = options.keepCurrentImageWhileLoading",
    ),
    Fault(
        "V-8",
        "the indicator is visible when the handler runs",
        "Sources/Core/Kingfisher/Views/Loading/LoadTarget.swift",
        """\
        stopIndicator()
        busyDidChange()
        switch result {
""",
        """\
        defer { stopIndicator() }
        busyDidChange()
        switch result {
""",
    ),
    Fault(
        "U-2",
        "a delegate keeps its target alive",
        "Sources/Core/Kingfisher/Support/Delegate.swift",
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
