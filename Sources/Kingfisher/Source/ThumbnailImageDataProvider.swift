import Dispatch
public import Foundation
import KingfisherImage

/// A small version of an image in a file, without the memory that decoding all of it takes.
///
/// Supplies a file's bytes as any provider does: a JPEG of the thumbnail, or a PNG where the image
/// has alpha or was stored without loss. They are upright whatever the file's orientation is; an
/// animation gives its first frame.
public struct ThumbnailImageDataProvider: ImageDataProvider, Hashable {
    /// Why there is no thumbnail.
    public enum ThumbnailImageDataProviderError: Error {
        /// The URL is not that of a readable file, or the file is no image of a known format.
        case invalidImageSource
        /// The image is broken or exceeds a limit, or not even a pixel of it is wanted.
        case invalidThumbnail
        /// No codec writes the format of the thumbnail.
        case writeDataError
        /// The thumbnail could not be encoded.
        case finalizeDataError
    }

    /// The file.
    public let url: URL
    /// The longer side of the thumbnail, in pixels; an image that is smaller keeps its size.
    public var maxPixelSize: CGFloat
    /// Whether the thumbnail is always made from the image itself.
    ///
    /// Otherwise the one that a camera left in a JPEG's metadata serves, where it shows all of the image
    /// and has as many pixels as are wanted. That takes a hundredth of the time, and shows what the camera
    /// saw: programs that edit an image may have left it as it was.
    public var alwaysCreateThumbnail: Bool
    public var cacheKey: String

    /// Supplies a thumbnail of the image in the file `url`; the key defaults to one made of
    /// the other arguments.
    public init(
        url: URL, maxPixelSize: CGFloat, alwaysCreateThumbnail: Bool = true, cacheKey: String? = nil
    ) {
        self.url = url
        self.maxPixelSize = maxPixelSize
        self.alwaysCreateThumbnail = alwaysCreateThumbnail
        self.cacheKey = cacheKey ?? "\(url.absoluteString)_thumb_\(maxPixelSize)_\(alwaysCreateThumbnail)"
    }

    /// Reads, decodes and encodes on a global queue, and calls `handler` there.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try thumbnail() })
        }
    }

    private func thumbnail() throws -> Data {
        guard let file = ImageFile(url), let codec = ImageCodecs.codec(for: file.start) else {
            throw ThumbnailImageDataProviderError.invalidImageSource
        }
        // Also false for what is not a number.
        guard maxPixelSize.rounded() >= 1 else { throw ThumbnailImageDataProviderError.invalidThumbnail }
        if !alwaysCreateThumbnail, let jpeg = codec as? JPEGCodec,
            let found = jpeg.thumbnail(inStart: file.start, longerSide: maxPixelSize)
        {
            return try encoded(found, isLossless: false)
        }
        guard let data = file.all() else {
            throw ThumbnailImageDataProviderError.invalidImageSource
        }
        let side = CGSize(width: maxPixelSize, height: maxPixelSize)
        guard let header = try? codec.header(of: data),
            let pixels = try? Image.downsample(data, using: codec, to: side, scale: 1).pixels
        else {
            throw ThumbnailImageDataProviderError.invalidThumbnail
        }
        return try encoded(pixels, isLossless: header.isLossless)
    }

    private func encoded(_ pixels: PixelBuffer, isLossless: Bool) throws -> Data {
        let format = isLossless || !pixels.format.isOpaque ? ImageFormat.PNG : .JPEG
        guard let codec = ImageCodecs.codec(for: format) else {
            throw ThumbnailImageDataProviderError.writeDataError
        }
        do {
            return try codec.encode(pixels, options: ImageEncodingOptions(quality: 0.9))
        } catch {
            throw ThumbnailImageDataProviderError.finalizeDataError
        }
    }
}
