public import Foundation

/// Turns images into the bytes stored on disk, and back.
///
/// Runs on the cache's I/O queue; for a cached original, which a processor is about to get, on the processing
/// queue. Only `loadDiskFileSynchronously` brings it to the caller's thread.
public protocol CacheSerializer: Sendable {
    /// The bytes to keep for `image`; `original` are the bytes it was downloaded as, if known. Nil fails the
    /// store with `cannotSerializeImage`.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// The image that `data` holds; nil when they hold none.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether `data(with:original:)` hands on the original bytes unprocessed, so that the processor has to
    /// run again on what the disk gives back.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    public var originalDataUsed: Bool { false }
}

/// A serializer whose entries on disk are image files: a processor of this package makes the same of the
/// bytes as of the image that `image(with:options:)` decodes from them.
///
/// A cached original is then decoded by the processor itself, no larger than it needs. A serializer that
/// encrypts, checks signatures or has a format of its own must not conform: the processor gets what
/// `image(with:options:)` gives.
public protocol ImageFileCacheSerializer: CacheSerializer {}
