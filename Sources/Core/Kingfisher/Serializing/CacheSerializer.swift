public import Foundation

/// Converts images to the bytes stored on disk, and back.
///
/// Runs on the cache's I/O queue, or on the processing queue for a cached original that will be processed.
/// Runs on the caller's thread only with `loadDiskFileSynchronously`.
public protocol CacheSerializer: Sendable {
    /// Returns the bytes to store for `image`; `original` is the downloaded data, if known. Returning nil
    /// fails the store with `cannotSerializeImage`.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// Returns the image of `data`; nil if it is not an image.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether `data(with:original:)` returns the unprocessed original data, so that the processor must run
    /// again after reading from disk.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    public var originalDataUsed: Bool { false }
}

/// A serializer whose disk entries are image files that processors of this package can decode, with the same
/// result as `image(with:options:)`.
///
/// The processor then decodes a cached original itself, at the size that it needs. A serializer that
/// encrypts, verifies signatures or uses a custom format must not conform: its processors get the result of
/// `image(with:options:)`.
public protocol ImageFileCacheSerializer: CacheSerializer {}
