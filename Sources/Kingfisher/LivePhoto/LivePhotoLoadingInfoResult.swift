public import Foundation

/// A live photo whose files are all on disk.
public struct LivePhotoLoadingInfoResult: Sendable {
    /// The files in the cache, in the order of the source's resources.
    public let fileURLs: [URL]
    /// `.disk` when no file was missing, `.none` when one had to be loaded.
    public let cacheType: CacheType
    /// The source that the files came from.
    public let source: LivePhotoSource
    /// The source that was asked for.
    public let originalSource: LivePhotoSource
    /// The bytes that were loaded for this result, in the order of the resources; empty when all were on
    /// disk.
    public let data: @Sendable () -> [Data]
}
