public import Foundation

/// A downloaded image.
public struct ImageLoadingResult: Sendable {
    /// The processed image.
    public let image: KFCrossPlatformImage
    /// The URL of the request, after modification.
    public let url: URL?
    /// The downloaded bytes, after modification by the delegate.
    public let originalData: Data
    /// The metrics of the transfer.
    public let metrics: NetworkMetrics?
    var arrival: ResponseArrival?
    /// For a manager with a budget.
    var memory: InputMemory?

    /// Creates a result, for tests and other loaders.
    public init(
        image: KFCrossPlatformImage, url: URL? = nil, originalData: Data, metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.url = url
        self.originalData = originalData
        self.metrics = metrics
    }
}
