package import FoundationNetworking
package import KingfisherTransport
import Synchronization

extension ImageDownloader {
    /// Sends a request that is no download of an image, with the settings of the downloader: its session
    /// configuration, address policy, queue, credentials and cookies.
    package func send(
        _ request: URLRequest, maxBodyBytes: Int, handler: any TransportHandler
    ) -> any TransportTask {
        var (fetch, transportRequest) = settings.withLock { ($0.fetch, $0.transportRequest(for: request)) }
        transportRequest.limits.maxBodyBytes = maxBodyBytes
        return fetch.start(transportRequest, handler: handler)
    }
}
