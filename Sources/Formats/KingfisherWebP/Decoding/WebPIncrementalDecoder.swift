public import Foundation
public import KingfisherCodecSupport
import Synchronization

/// Decodes a still WebP while its bytes arrive, to show the available rows.
///
///     let decoder = WebPIncrementalDecoder()
///     for try await chunk in chunks {
///         try decoder.append(chunk)
///         if let image = try decoder.image() { imageView.image = Image(pixels: image) }
///     }
///     guard decoder.isFinished else { throw ImageCodecError.truncated }
///
/// The finished image equals the image of ``WebPCodec``, because the complete file is decoded again. Before,
/// the image is not yet oriented, because the orientation follows the pixels in the file. Animations are
/// `unsupported`. Works on the caller's thread; safe from any thread, calls are serialized.
public final class WebPIncrementalDecoder: Sendable {
    private let stream = Mutex(WebPStream())

    /// Creates a decoder without data.
    public init() {}

    /// Appends the next bytes of the file, and decodes them as far as possible.
    ///
    /// Throws as soon as the bytes cannot become an image (`corrupt`, `tooLarge` before memory is allocated,
    /// `unsupported`), and the same error on every later call. Bytes after the end of the file are ignored.
    public func append(_ data: Data) throws(ImageCodecError) {
        try stream.withLock { stream throws(ImageCodecError) in try stream.append(data) }
    }

    /// The image's header; nil until the start of its bitstream has arrived.
    ///
    /// The orientation is known when the file is complete.
    public var header: ImageHeader? { stream.withLock { $0.header } }

    /// The number of decoded rows, from the top of the stored image.
    public var decodedRows: Int { stream.withLock { $0.decodedRows } }

    /// Whether the complete file was decoded.
    public var isFinished: Bool { stream.withLock { $0.isFinished } }

    /// The rows decoded so far, with transparent rows below; nil before the header is known.
    ///
    /// Each call returns a new copy until the file is complete. Throws the error of `append`, because a
    /// corrupt file has no image.
    public func image() throws(ImageCodecError) -> PixelBuffer? {
        try stream.withLock { stream throws(ImageCodecError) in try stream.image() }
    }
}
