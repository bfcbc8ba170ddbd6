public import Foundation

/// A live photo whose files are all on disk.
public struct LivePhotoLoadingInfoResult: Sendable {
    /// The files in the cache, in the order of the source's resources.
    public let fileURLs: [URL]
    /// `.disk` if all files were on disk, `.none` if one was loaded.
    public let cacheType: CacheType
    /// The source of the files.
    public let source: LivePhotoSource
    /// The requested source.
    public let originalSource: LivePhotoSource
    /// The bytes loaded for this result, in the order of the resources; empty if all were on disk.
    public let data: @Sendable () -> [Data]
}
