import Foundation
import FoundationNetworking

/// Makes pictures of downloaded bytes: once for each processor that callers asked for.
struct DownloadedImageProcessing: Sendable {
    let downloader: ImageDownloader
    let url: URL?
    let data: Data
    let response: HTTPURLResponse
    let metrics: NetworkMetrics?

    /// Processes on the first caller's processing queue; delivers each result on its caller's own queue.
    func run(for callbacks: [SessionDataTask.Callback]) {
        let queue = callbacks.first?.options.processingQueue ?? downloader.processingQueue
        queue.execute {
            for group in Self.groups(of: callbacks) { process(for: group) }
        }
    }

    private func process(for group: [SessionDataTask.Callback]) {
        guard let options = group.first?.options else { return }
        let item = ImageProcessItem.data(data)
        let result: Result<ImageLoadingResult, KingfisherError>
        if let image = options.processor.process(item: item, options: options) {
            if let url {
                downloader.delegate?.imageDownloader(
                    downloader, didDownload: image, for: url, with: response)
            }
            result = .success(
                ImageLoadingResult(image: image, url: url, originalData: data, metrics: metrics))
        } else {
            result = .failure(
                .processorError(reason: .processingFailed(processor: options.processor, item: item)))
        }
        for callback in group {
            callback.options.callbackQueue.execute { callback.completion(result) }
        }
    }

    /// Callers whose picture is the same: equal processor identifiers and equal ways of decoding.
    static func groups(of callbacks: [SessionDataTask.Callback]) -> [[SessionDataTask.Callback]] {
        var groups: [[SessionDataTask.Callback]] = []
        for callback in callbacks {
            let index = groups.firstIndex { group in
                group[0].options.processor.identifier == callback.options.processor.identifier
                    && group[0].options.imageCreatingOptions == callback.options.imageCreatingOptions
            }
            if let index { groups[index].append(callback) } else { groups.append([callback]) }
        }
        return groups
    }
}
