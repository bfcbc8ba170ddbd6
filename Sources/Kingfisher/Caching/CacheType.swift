/// Where an image was found.
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
    /// The image, read from disk.
    case disk(KFCrossPlatformImage)
    /// The image, held in memory.
    case memory(KFCrossPlatformImage)
    /// Nothing.
    case none

    /// The image, if there is one.
    public var image: KFCrossPlatformImage? {
        switch self {
        case .disk(let image), .memory(let image): image
        case .none: nil
        }
    }

    /// Where the image was found.
    public var cacheType: CacheType {
        switch self {
        case .disk: .disk
        case .memory: .memory
        case .none: .none
        }
    }
}

/// How storing an image ended.
public struct CacheStoreResult: Sendable {
    /// Storing in memory cannot fail.
    public let memoryCacheResult: Result<(), Never>
    /// Success also when nothing had to be written.
    public let diskCacheResult: Result<(), KingfisherError>
}
