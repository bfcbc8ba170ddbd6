public import Foundation
public import KingfisherCodecSupport
import Synchronization

/// Decodes a still WebP while its bytes arrive, to show the rows that are there already.
///
///     let decoder = WebPIncrementalDecoder()
///     for try await chunk in chunks {
///         try decoder.append(chunk)
///         if let image = try decoder.image() { imageView.image = Image(pixels: image) }
///     }
///     guard decoder.isFinished else { throw ImageCodecError.truncated }
///
/// The finished image is that of `WebPCodec.decode`, by which the last bytes decode the file once more.
/// Before, it stands as it is stored: the orientation comes behind the pixels in the file. Animations are
/// `unsupported`. Works on the caller's thread; safe from any thread, calls wait for each other.
public final class WebPIncrementalDecoder: Sendable {
    private let stream = Mutex(WebPStream())

    /// Waits for the first bytes.
    public init() {}

    /// Decodes as far as the bytes reach that have come so far; `data` are the next ones of the file.
    ///
    /// Throws as soon as the bytes cannot become an image (`corrupt`, `tooLarge` before memory is taken,
    /// `unsupported`), and from then on the same error every time. Bytes behind the end of the file are
    /// passed over.
    public func append(_ data: Data) throws(ImageCodecError) {
        try stream.withLock { stream throws(ImageCodecError) in try stream.append(data) }
    }

    /// What the file says about itself; nil until the head of its bitstream has come.
    ///
    /// The orientation is known when the file is finished.
    public var header: ImageHeader? { stream.withLock { $0.header } }

    /// Rows decoded, from the top of the stored image.
    public var decodedRows: Int { stream.withLock { $0.decodedRows } }

    /// Whether the file has come whole, and is.
    public var isFinished: Bool { stream.withLock { $0.isFinished } }

    /// The rows decoded so far and nothing, transparent, below them; nil before the header is known.
    ///
    /// A copy of its own each time until the file is finished. Throws what `append` threw, for a broken file
    /// has no image.
    public func image() throws(ImageCodecError) -> PixelBuffer? {
        try stream.withLock { stream throws(ImageCodecError) in try stream.image() }
    }
}
