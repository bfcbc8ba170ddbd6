/// The cache in which an image was found.
public enum CacheType: Sendable {
    /// No cache.
    case none
    /// Memory.
    case memory
    /// The disk.
    case disk

    /// Whether the image was in a cache.
    public var cached: Bool { self != .none }
}

/// The result of looking up a key in a cache.
public enum ImageCacheResult: Sendable {
    /// The image, read from disk.
    case disk(KFCrossPlatformImage)
    /// The image, held in memory.
    case memory(KFCrossPlatformImage)
    /// No image.
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

/// The result of storing an image.
public struct CacheStoreResult: Sendable {
    /// Always a success: storing in memory cannot fail.
    public let memoryCacheResult: Result<(), Never>
    /// The result of the write; a success if nothing had to be written.
    public let diskCacheResult: Result<(), KingfisherError>
}
