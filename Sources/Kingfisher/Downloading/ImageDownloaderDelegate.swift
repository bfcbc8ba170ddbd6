public import Foundation
public import FoundationNetworking

/// Watches a downloader's transfers and has a say in them.
///
/// Every method has a default. They are called from the downloader's own threads, so a delegate must be safe
/// to call from any; it is held weakly.
public protocol ImageDownloaderDelegate: AnyObject {
    /// A transfer is about to start.
    func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?)

    /// A transfer has ended; called once for each, before any completion handler.
    func imageDownloader(
        _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL, with response: URLResponse?,
        error: (any Error)?)

    /// Bytes have arrived: the ones to use instead, or nil to fail with `dataModifyingFailed`. The default
    /// asks the method that takes a URL.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask)
        -> Data?

    /// Bytes have arrived: the ones to use instead, or nil to fail with `dataModifyingFailed`.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data?

    /// An image was made, once for each processor.
    func imageDownloader(
        _ downloader: ImageDownloader, didDownload image: KFCrossPlatformImage, for url: URL,
        with response: URLResponse?)

    /// Whether a status is good; by default 200..<400.
    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool

    /// Whether to go on after a response with a good status; the body waits for the answer.
    func imageDownloader(_ downloader: ImageDownloader, didReceive response: URLResponse) async
        -> URLSession.ResponseDisposition
}

extension ImageDownloaderDelegate {
    public func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
    ) {}

    public func imageDownloader(
        _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL, with response: URLResponse?,
        error: (any Error)?
    ) {}

    public func imageDownloader(
        _ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask
    ) -> Data? {
        guard let url = task.originalURL else { return data }
        return imageDownloader(downloader, didDownload: data, for: url)
    }

    public func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data?
    {
        data
    }

    public func imageDownloader(
        _ downloader: ImageDownloader, didDownload image: KFCrossPlatformImage, for url: URL,
        with response: URLResponse?
    ) {}

    public func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        (200..<400).contains(code)
    }

    public func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        .allow
    }
}

/// A downloader does what its delegate's defaults do, so it can stand where a delegate is wanted.
extension ImageDownloader: ImageDownloaderDelegate {}
