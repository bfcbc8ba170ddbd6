public import Foundation
public import FoundationNetworking

/// Observes and controls the transfers of a downloader.
///
/// Every method has a default implementation. Methods are called on the downloader's threads, so a delegate
/// must be thread-safe. It is held weakly.
public protocol ImageDownloaderDelegate: AnyObject {
    /// A transfer is about to start.
    func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?)

    /// A transfer has ended. Called once for each transfer, before any completion handler.
    func imageDownloader(
        _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL, with response: URLResponse?,
        error: (any Error)?)

    /// Returns the bytes to use in place of the downloaded ones; nil fails the download with
    /// `dataModifyingFailed`. The default calls the method that takes a URL.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask)
        -> Data?

    /// Returns the bytes to use in place of the downloaded ones; nil fails the download with
    /// `dataModifyingFailed`.
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data?

    /// An image was created. Called once for each processor.
    func imageDownloader(
        _ downloader: ImageDownloader, didDownload image: KFCrossPlatformImage, for url: URL,
        with response: URLResponse?)

    /// Returns whether a status code is accepted; by default 200..<400.
    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool

    /// Returns whether to continue after a response with an accepted status. The body waits for the answer.
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

/// A downloader has the default behaviour of a delegate, and can be passed as one.
extension ImageDownloader: ImageDownloaderDelegate {}
