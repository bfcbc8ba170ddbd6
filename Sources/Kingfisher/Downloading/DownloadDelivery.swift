import Foundation
import KingfisherTransport

/// Serves the callers of a finished transfer: makes a picture for each way they asked for, once, and hands it
/// out.
final class DownloadDelivery: Sendable {
    private typealias Outcome = SessionDataTask.Outcome

    private let downloader: ImageDownloader
    private let session: SessionDataTask
    private let data: Data
    private let arrival: ResponseArrival
    private let metrics: NetworkMetrics?

    init(
        downloader: ImageDownloader, session: SessionDataTask, data: Data, arrival: ResponseArrival,
        metrics: NetworkMetrics?
    ) {
        self.downloader = downloader
        self.session = session
        self.data = data
        self.arrival = arrival
        self.metrics = metrics
    }

    /// Runs on the processing queue until nobody waits; callers may still join. Each completes on its own
    /// queue.
    func run() {
        // Nearly always all callers want the same.
        var first: (variant: PictureVariant, outcome: Outcome)?
        var others: [PictureVariant: Outcome] = [:]
        while let (token, callback) = session.nextToServe() {
            if session.isConfirmed {
                if session.claim(token, withPicture: true) { callback.confirm(arrival) }
                continue
            }
            let variant = callback.options.pictureVariant
            let known = first?.variant == variant ? first?.outcome : others[variant]
            let outcome = known ?? process(with: callback.options)
            if first == nil { first = (variant, outcome) } else if known == nil { others[variant] = outcome }
            guard session.claim(token, withPicture: (try? outcome.get()) != nil) else { continue }
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
        if let url = session.originalURL, let delegate = downloader.delegate {
            delegate.imageDownloader(
                downloader, didDownload: image, for: url, with: arrival.response.httpURLResponse)
        }
        var result = ImageLoadingResult(
            image: image, url: session.originalURL, originalData: data, metrics: metrics)
        result.arrival = arrival
        return .success(result)
    }
}
