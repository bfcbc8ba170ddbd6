import Foundation
import KingfisherTransport

/// A complete transfer, which its callers share.
final class CompleteTransfer: Sendable {
    let session: SessionDataTask
    let input: ProcessingInput
    let arrival: ResponseArrival
    let metrics: NetworkMetrics?
    let place: WorkPlace

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
        place = queue.map { .queue($0) } ?? .deliveries(downloader.deliveries)
        input = ProcessingInput(.data(data), memory: memory, place: place, observer: session)
    }

    /// Gives the bytes to the callers that wait for them, on the processing queue.
    func deliver() {
        place.run { [self] in
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
            of: input, input.recipe(.source, options), options, for: { url?.absoluteString ?? "" },
            at: transfer.place
        ) { outcome in
            guard leave() else { return }
            switch outcome {
            case .made(let image, _):
                var result = ImageLoadingResult(
                    image: image, url: url, originalData: input.item.data ?? Data(), metrics: metrics)
                result.arrival = arrival
                if countsMemory { result.memory = input.memory }
                completion(.success(result))
            case .failed(let error): completion(.failure(error))
            case .refused, .unreadable:
                completion(
                    .failure(
                        .processorError(
                            reason: .processingFailed(processor: options.processor, item: input.item))))
            }
        }
        input.enqueue(making)
    }
}

extension SessionDataTask: InputObserver {
    func didMake(_ image: KFCrossPlatformImage?, of input: ProcessingInput) {
        guard let image else { return noteProcessingFailure() }
        guard let url = originalURL, let downloader, let delegate = downloader.delegate else { return }
        delegate.imageDownloader(downloader, didDownload: image, for: url, with: response?.httpURLResponse)
    }
}
