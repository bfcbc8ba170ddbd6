import Foundation
import Kingfisher

/// Loads photos as cards: scaled down, with a white border and round corners.
///
/// This code does not depend on the platform: it uses Kingfisher's cross-platform image types.
public struct CardLoader: Sendable {
    /// The maximum size of a card in points.
    public let size: CGSize
    private let manager: KingfisherManager

    public init(size: CGSize, manager: KingfisherManager = .shared) {
        self.size = size
        self.manager = manager
    }

    /// The options that make a card from a photograph. Views use the same options, and so share cached cards
    /// with ``card(of:)``.
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

    /// The card of a photo; from the cache if it exists there.
    public func card(of photo: Source) async throws -> KFCrossPlatformImage {
        try await manager.retrieveImage(with: photo, options: options).image
    }
}
