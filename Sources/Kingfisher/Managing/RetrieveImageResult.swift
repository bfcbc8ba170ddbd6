public import Foundation

/// Bytes received and bytes expected, on the main queue; only called when the expected length is known.
public typealias DownloadProgressBlock = (@Sendable (_ receivedSize: Int64, _ totalSize: Int64) -> Void)

/// Called with each new task that takes over a request, on any thread.
public typealias DownloadTaskUpdatedBlock = (@Sendable (_ newTask: DownloadTask?) -> Void)

/// A picture and where it came from.
public struct RetrieveImageResult: Sendable {
    /// The picture, after the image modifier.
    public let image: KFCrossPlatformImage
    /// The cache it came from; `.none` when it was downloaded, supplied or processed anew.
    public let cacheType: CacheType
    /// The source it came from; an alternative one where others failed.
    public let source: Source
    /// The source that was asked for.
    public let originalSource: Source
    /// The downloaded bytes of a fresh picture, or the serializer's encoding of one from a cache. Computed at
    /// each call.
    public let data: @Sendable () -> Data?
    /// What the download took; nil when there was none.
    public let metrics: NetworkMetrics?

    /// Puts a result together, for tests and other loaders.
    public init(
        image: KFCrossPlatformImage, cacheType: CacheType, source: Source, originalSource: Source,
        data: @escaping @Sendable () -> Data?, metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource
        self.data = data
        self.metrics = metrics
    }
}
