import Foundation
import KingfisherTransport

/// A complete transfer, which its callers share.
final class CompleteTransfer: Sendable {
    let session: SessionDataTask
    let input: ProcessingInput
    let arrival: ResponseArrival
    let metrics: NetworkMetrics?

    /// - Parameters:
    ///   - ticket: The reservation of the memory budget for the bytes.
    ///   - queue: The processing queue; nil for that of the downloader.
    init(
        of session: SessionDataTask, by downloader: ImageDownloader, _ data: Data, _ arrival: ResponseArrival,
        metrics: NetworkMetrics?, ticket: AdmissionTicket? = nil, queue: CallbackQueue? = nil
    ) {
        self.session = session
        self.arrival = arrival
        self.metrics = metrics
        let memory = ticket.map { ticket in
            let resident = data.residentCount
            return InputMemory(
                ticket, holding: max(session.heldBytes, resident), required: resident)
        }
        input = ProcessingInput(.data(data), memory: memory, queue: Self.work(on: queue, or: downloader)) {
            image in
            guard let image else { return session.noteProcessingFailure() }
            guard let url = session.originalURL, let delegate = downloader.delegate else { return }
            delegate.imageDownloader(
                downloader, didDownload: image, for: url, with: arrival.response.httpURLResponse)
        }
    }

    /// Work on the downloader's queue waits for the end of the round, together with that of other transfers.
    private static func work(on queue: CallbackQueue?, or downloader: ImageDownloader) -> WorkQueue {
        guard let queue else { return { [deliveries = downloader.deliveries] in deliveries.add($0) } }
        return { work in
            if queue.isImmediate { LoopRound.endEarly() }
            queue.execute(work)
        }
    }

    /// Gives the bytes to the callers that wait for them, on the processing queue.
    func deliver() {
        input.queue? { [self] in
            while let (token, callback) = session.nextToServe() {
                callback.complete(.arrived(Download(transfer: self, token: token)))
            }
        }
    }
}

/// A complete transfer for one of its callers, who leaves it when the image is in a cache, or was delivered.
struct Download: Sendable {
    let transfer: CompleteTransfer
    let token: SessionDataTask.CancelToken

    var input: ProcessingInput { transfer.input }
    var arrival: ResponseArrival { transfer.arrival }
    var metrics: NetworkMetrics? { transfer.metrics }
    /// Whether the server has confirmed the caller's cached image; there are no bytes then.
    var isConfirmation: Bool { transfer.session.isConfirmed }

    var isCancelled: Bool { !transfer.session.has(token) }

    /// Returns false if the caller was cancelled before, and has got that error.
    @discardableResult
    func leave() -> Bool { transfer.session.leave(token) }

    /// Makes the image of a caller that is not a manager. Does not complete if the caller was cancelled.
    ///
    /// - Parameter countsMemory: Whether the result keeps the memory reserved.
    func makeImage(
        _ options: KingfisherParsedOptionsInfo, countsMemory: Bool = false,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        let (input, url) = (input, transfer.session.originalURL)
        let making = ImageMaking(
            input: input, recipe: input.recipe(.source, options), options: options,
            source: { url?.absoluteString ?? "" }, queue: { input.queue?($0) })
        making.run { outcome in
            guard leave() else { return }
            switch outcome {
            case .made(let image, _):
                var result = ImageLoadingResult(
                    image: image, url: url, originalData: input.item.data ?? Data(), metrics: metrics)
                result.arrival = arrival
                if countsMemory { result.memory = input.memory }
                completion(.success(result))
            case .failed(let error): completion(.failure(error))
            case .refused, .unreadable, .abandoned:
                completion(
                    .failure(
                        .processorError(
                            reason: .processingFailed(processor: options.processor, item: input.item))))
            }
        }
    }
}
