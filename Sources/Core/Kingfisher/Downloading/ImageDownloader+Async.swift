public import Foundation

extension ImageDownloader {
    /// Downloads and processes an image. Cancelling the surrounding task throws `taskCancelled`.
    public func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo
    ) async throws -> ImageLoadingResult {
        try await downloadImage(with: url, parsed: options, progressBlock: nil)
    }

    /// Downloads and processes an image. Cancelling the surrounding task throws `taskCancelled`.
    public func downloadImage(
        with url: URL, options: KingfisherOptionsInfo? = nil, progressBlock: SendableProgressBlock? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(
            with: url, parsed: KingfisherParsedOptionsInfo(options), progressBlock: progressBlock)
    }

    /// Downloads and processes an image. Cancelling the surrounding task throws `taskCancelled`.
    public func downloadImage(
        with url: URL, options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(
            with: url, parsed: KingfisherParsedOptionsInfo(options), progressBlock: nil)
    }

    func downloadImage(
        with url: URL, parsed: KingfisherParsedOptionsInfo, admission: AdmissionControl? = nil,
        progressBlock: SendableProgressBlock?
    ) async throws -> ImageLoadingResult {
        var options = parsed
        options.callbackQueue = .untouch
        let unqueued = options
        let task = DownloadTask()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                downloadImage(
                    DownloadOrder(
                        url: url, options: unqueued, task: task, admission: admission,
                        progressBlock: progressBlock)
                ) {
                    continuation.resume(with: $0)
                }
            }
        } onCancel: {
            task.cancel()
        }
    }
}
