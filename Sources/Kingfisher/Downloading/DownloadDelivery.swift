import Foundation
import KingfisherTransport

/// Serves the callers of a finished transfer: makes a picture for each way they asked for, once, and hands it
/// out.
struct DownloadDelivery: Sendable {
    let downloader: ImageDownloader
    let session: SessionDataTask
    let data: Data
    let response: TransportResponse
    let metrics: NetworkMetrics?

    private typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    /// Runs on the processing queue until nobody waits; callers may still join. Each completes on its own
    /// queue.
    func run() {
        var made: [PictureVariant: Outcome] = [:]
        while let (token, callback) = session.nextToServe() {
            let options = callback.options
            let variant = options.pictureVariant
            let outcome = made[variant] ?? process(with: options)
            made[variant] = outcome
            guard session.claim(token) else { continue }
            callback.complete(outcome)
        }
        downloader.forget(session)
    }

    private func process(with options: KingfisherParsedOptionsInfo) -> Outcome {
        let item = ImageProcessItem.data(data)
        guard let image = options.process(item, of: session.originalURL?.absoluteString ?? "") else {
            return .failure(
                .processorError(reason: .processingFailed(processor: options.processor, item: item)))
        }
        if let url = session.originalURL {
            downloader.delegate?.imageDownloader(
                downloader, didDownload: image, for: url, with: response.httpURLResponse)
        }
        return .success(
            ImageLoadingResult(image: image, url: session.originalURL, originalData: data, metrics: metrics))
    }
}
