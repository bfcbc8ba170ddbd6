public import Foundation

/// A downloaded image.
public struct ImageLoadingResult: Sendable {
    /// The image that the processor made.
    public let image: KFCrossPlatformImage
    /// The URL of the request, after modification.
    public let url: URL?
    /// The downloaded bytes, after the delegate.
    public let originalData: Data
    /// What the transfer took.
    public let metrics: NetworkMetrics?
    /// The response, where it came by HTTP.
    var arrival: ResponseArrival?
    /// The memory that the bytes are part of, where the manager has a budget.
    var ticket: AdmissionTicket?

    /// Puts a result together, for tests and other loaders.
    public init(
        image: KFCrossPlatformImage, url: URL? = nil, originalData: Data, metrics: NetworkMetrics? = nil
    ) {
        self.image = image
        self.url = url
        self.originalData = originalData
        self.metrics = metrics
    }
}
