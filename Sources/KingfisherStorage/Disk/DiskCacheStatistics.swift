/// What a cache on disk holds, and how its use went since it was opened.
///
/// Entries and bytes are those of the last scan of the folder and what this process has changed since: what
/// other processes do shows after the next scan. The first one begins when the cache is opened; until it has
/// ended, a moment later, only own changes count.
public struct DiskCacheStatistics: Sendable, Equatable {
    /// Files in the folder, expired ones among them.
    public let entries: Int
    /// Bytes of all files.
    public let bytes: UInt
    /// Reads that found their entry.
    public let hits: Int
    /// Reads that found none, or an expired or corrupt one; and requests that needed no read to know.
    public let misses: Int
    /// Files removed, though they had not expired, because all together exceeded the limit.
    public let evictions: Int
    /// Files removed because their content was not what had been stored.
    public let corruptEntriesDropped: Int
}
