/// Where a picture was found.
public enum CacheType: Sendable {
    /// In no cache.
    case none
    /// In memory.
    case memory
    /// On disk.
    case disk

    /// Whether it was in a cache at all.
    public var cached: Bool { self != .none }
}

/// What a cache has for a key.
public enum ImageCacheResult: Sendable {
    /// The picture, read from disk.
    case disk(KFCrossPlatformImage)
    /// The picture, held in memory.
    case memory(KFCrossPlatformImage)
    /// Nothing.
    case none

    /// The picture, if there is one.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// Where the picture was found.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}

/// How storing a picture ended.
public struct CacheStoreResult: Sendable {
    /// Storing in memory cannot fail.
    public let memoryCacheResult: Result<(), Never>
    /// Success also when nothing had to be written.
    public let diskCacheResult: Result<(), KingfisherError>
}
