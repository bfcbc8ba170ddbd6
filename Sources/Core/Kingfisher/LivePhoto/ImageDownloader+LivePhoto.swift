public import Foundation

/// A downloaded file of a live photo.
public struct LivePhotoResourceDownloadingResult: Sendable {
    /// The URL of the request, after modification.
    public let url: URL?
    /// The downloaded bytes, after modification by the delegate.
    public let originalData: Data

    /// Creates a result, for tests and other loaders.
    public init(originalData: Data, url: URL? = nil) {
        self.originalData = originalData
        self.url = url
    }
}

extension LivePhotoResourceDownloadingResult {
    fileprivate init(_ result: ImageLoadingResult) {
        self.init(originalData: result.originalData, url: result.url)
    }
}

extension ImageDownloader {
    /// Downloads a file of a live photo without decoding it. Cancelling the surrounding task throws
    /// `taskCancelled`.
    ///
    /// Callers of one URL share a transfer, including callers that load it as an image.
    public func downloadLivePhotoResource(
        with url: URL, options: KingfisherParsedOptionsInfo
    ) async throws -> LivePhotoResourceDownloadingResult {
        try await downloadLivePhotoResource(with: url, options: options, progressBlock: nil)
    }

    /// Downloads a file of a live photo without decoding it. The completion runs on the options' callback
    /// queue, exactly once.
    @discardableResult
    public func downloadLivePhotoResource(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (
            @Sendable (Result<LivePhotoResourceDownloadingResult, KingfisherError>) -> Void
        )? =
            nil
    ) -> DownloadTask {
        downloadImage(with: url, options: options.forLivePhoto) {
            completionHandler?($0.map(LivePhotoResourceDownloadingResult.init))
        }
    }

    func downloadLivePhotoResource(
        with url: URL, options: KingfisherParsedOptionsInfo, admission: AdmissionControl? = nil,
        progressBlock: SendableProgressBlock?
    ) async throws -> LivePhotoResourceDownloadingResult {
        LivePhotoResourceDownloadingResult(
            try await downloadImage(
                with: url, parsed: options.forLivePhoto, admission: admission, progressBlock: progressBlock))
    }
}
