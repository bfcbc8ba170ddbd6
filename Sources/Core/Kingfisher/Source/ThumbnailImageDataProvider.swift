import Dispatch
public import Foundation
import KingfisherImage

/// A thumbnail of an image in a file, created without the memory for decoding the whole image.
///
/// Supplies the bytes of a file like any provider: a JPEG of the thumbnail, or a PNG if the image has alpha
/// or is lossless. The thumbnail is upright regardless of the file's orientation; of an animation, it is the
/// first frame.
public struct ThumbnailImageDataProvider: ImageDataProvider, Hashable {
    /// The reason for a failure.
    public enum ThumbnailImageDataProviderError: Error {
        /// The file cannot be read, or is not an image of a known format.
        case invalidImageSource
        /// The image is corrupt or exceeds a limit, or `maxPixelSize` is below one pixel.
        case invalidThumbnail
        /// No codec writes the format of the thumbnail.
        case writeDataError
        /// The thumbnail could not be encoded.
        case finalizeDataError
    }

    /// The file.
    public let url: URL
    /// The longer side of the thumbnail in pixels. A smaller image keeps its size.
    public var maxPixelSize: CGFloat
    /// Whether the thumbnail is always created from the image itself.
    ///
    /// Otherwise the thumbnail in a JPEG's metadata is used if it shows the whole image and is large enough.
    /// This takes a hundredth of the time, but the embedded thumbnail may be outdated if a program has edited
    /// the image.
    public var alwaysCreateThumbnail: Bool
    public var cacheKey: String

    /// Creates a provider of a thumbnail of the file `url`. The key defaults to one derived from the other
    /// arguments.
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
        // Also false for NaN.
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
        return try DecodingWork.run {
            guard let header = try? ImageCodecs.open(data).header,
                let pixels = try? Image.downsample(data, to: side, scale: 1).pixels
            else {
                throw ThumbnailImageDataProviderError.invalidThumbnail
            }
            return try encoded(pixels, isLossless: header.isLossless)
        }
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
