import Foundation
import Kingfisher

/// Loads photographs as cards: scaled down, with a white border and round corners.
///
/// Nothing here asks which system it is on: the images are Kingfisher's cross-platform ones.
public struct CardLoader: Sendable {
    /// How large a card is at most, in points.
    public let size: CGSize
    private let manager: KingfisherManager

    public init(size: CGSize, manager: KingfisherManager = .shared) {
        self.size = size
        self.manager = manager
    }

    /// How a photograph becomes a card. Views use the same options, and so share cards with ``card(of:)``.
    public var options: KingfisherOptionsInfo {
        let processor =
            DownsamplingImageProcessor(size: size)
            |> RoundCornerImageProcessor(cornerRadius: 12)
            |> BorderImageProcessor(border: Border(color: .white, lineWidth: 2, radius: .point(12)))
        return [
            .processor(processor), .cacheSerializer(FormatIndicatedCacheSerializer.png), .scaleFactor(2),
            .targetCache(manager.cache), .downloader(manager.downloader),
            .retryStrategy(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(1))),
        ]
    }

    /// The card of a photograph, from the cache where it was made before.
    public func card(of photo: Source) async throws -> KFCrossPlatformImage {
        try await manager.retrieveImage(with: photo, options: options).image
    }
}
