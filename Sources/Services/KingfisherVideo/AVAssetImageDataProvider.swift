public import Foundation
public import Kingfisher
public import KingfisherImage

/// A frame of a video as an image.
///
///     imageView.kf.setImage(with: .provider(AVAssetImageDataProvider(assetURL: url, seconds: 12.5)))
///
/// See `VideoFrameGenerator` for what is decoded, and what that needs.
public struct AVAssetImageDataProvider: ImageDataProvider {
    /// Why a provider has no image, besides the errors of `VideoFrameGenerator.image(at:)`.
    public enum AVAssetImageDataProviderError: Error {
        /// The load was cancelled.
        case userCancelled
        /// The frame cannot be encoded.
        case invalidImage(_ image: Image?)
    }

    /// What makes the frame.
    public let assetImageGenerator: VideoFrameGenerator
    /// The time of the frame, in seconds after the start of the video.
    public let time: TimeInterval

    /// By default the URL and the time, and settings of the generator that change the image.
    public var cacheKey: String

    public var contentURL: URL? { assetImageGenerator.asset }

    /// Creates a provider of the frame that `assetImageGenerator` makes.
    public init(assetImageGenerator: VideoFrameGenerator, time: TimeInterval) {
        (self.assetImageGenerator, self.time) = (assetImageGenerator, time)
        let size = assetImageGenerator.maximumSize
        cacheKey =
            assetImageGenerator.asset.cacheKey + "_\(time)"
            + (size == .zero ? "" : "_\(size.width)x\(size.height)")
            + (assetImageGenerator.tolerance == .exact ? "" : "_keyframe")
    }

    /// Creates a provider of the frame that is shown `time` seconds after the start.
    public init(assetURL: URL, time: TimeInterval) {
        self.init(assetImageGenerator: VideoFrameGenerator(asset: assetURL), time: time)
    }

    /// Creates a provider of the frame that is shown `seconds` after the start.
    public init(assetURL: URL, seconds: TimeInterval) {
        self.init(assetURL: assetURL, time: seconds)
    }

    /// The frame as a JPEG of quality 0.95.
    public func data() async throws -> Data {
        do {
            let image = try await assetImageGenerator.image(at: time)
            guard let data = image.kf.jpegRepresentation(compressionQuality: 0.95) else {
                throw AVAssetImageDataProviderError.invalidImage(image)
            }
            return data
        } catch is CancellationError {
            throw AVAssetImageDataProviderError.userCancelled
        }
    }
}

/// A cached frame of a local video is not used once the file has changed.
extension AVAssetImageDataProvider: LocalFileProvider {
    package var filePath: LocalFilePath? { LocalFilePath(assetImageGenerator.asset) }
}
