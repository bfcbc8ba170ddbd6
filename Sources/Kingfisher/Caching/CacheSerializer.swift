public import Foundation

/// Turns pictures into the bytes kept on disk, and back.
///
/// Runs on the cache's I/O queue, never on the caller's thread.
public protocol CacheSerializer: Sendable {
    /// The bytes to keep for `image`; `original` are the bytes it was downloaded as, if known. Nil fails the
    /// store with `cannotSerializeImage`.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// The picture that `data` holds; nil when they hold none.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether `data(with:original:)` hands on the original bytes unprocessed, so that the processor has to
    /// run again on what the disk gives back.
    var originalDataUsed: Bool { get }
}

extension CacheSerializer {
    public var originalDataUsed: Bool { false }
}
