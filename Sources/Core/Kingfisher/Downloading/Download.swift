import Foundation
import KingfisherTransport

/// The bytes of a transfer for one of its callers, who leaves it when the image is in a cache, or was
/// delivered.
struct Download: Sendable {
    let session: SessionDataTask
    let token: SessionDataTask.CancelToken
    let input: ProcessingInput
    let arrival: ResponseArrival

    var isCancelled: Bool { !session.update { $0.callers.contains(token) } }

    /// Returns false if the caller was cancelled before, and has got that error.
    @discardableResult
    func leave() -> Bool { session.leave(token) }

    /// Makes the image of a caller that is not a manager. Does not complete if the caller was cancelled.
    ///
    /// - Parameter countsMemory: Whether the result keeps the memory reserved.
    func makeImage(
        _ options: KingfisherParsedOptionsInfo, countsMemory: Bool = false,
        completion: @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
    ) {
        let (input, url) = (input, session.originalURL)
        let making = ImageMaking(
            of: input, input.recipe(.source, options), options, for: { url?.absoluteString ?? "" },
            at: input.place ?? .queue(.untouch), isWanted: { !isCancelled }
        ) { outcome in
            guard leave() else { return }
            switch outcome {
            case .made(let image, _):
                var result = ImageLoadingResult(
                    image: image, url: url, originalData: input.item.data ?? Data(), metrics: arrival.metrics)
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
