/// The content of a disk cache and its hits and misses since it was opened.
///
/// Entries and bytes are the result of the last scan of the folder plus the changes by this process since
/// then. Changes by other processes appear after the next scan. The first scan starts when the cache is
/// opened; until it has finished, only changes by this process count.
public struct DiskCacheStatistics: Sendable, Equatable {
    /// The number of files in the folder, including expired ones.
    public let entries: Int
    /// The total size of all files in bytes.
    public let bytes: UInt
    /// The number of reads that found an entry.
    public let hits: Int
    /// The number of reads that found no entry, or an expired or corrupt one, including those answered
    /// without disk access.
    public let misses: Int
    /// The number of unexpired files that were removed because the total size exceeded the limit.
    public let evictions: Int
    /// The number of files that were removed because their content was corrupt.
    public let corruptEntriesDropped: Int
}
