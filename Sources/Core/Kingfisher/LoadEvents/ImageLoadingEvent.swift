/// What happens during one load (`KingfisherManager.imageEvents(for:options:)`).
public enum ImageLoadingEvent: Sendable {
    /// The number of body bytes received so far, and the number that the server has announced.
    ///
    /// Counts up during a transfer, and starts again with a retry, an alternative source or a repeated
    /// request. Only downloads of announced length report progress, as with progress blocks.
    case progress(received: Int64, total: Int64)
    /// The image as far as it has been received, with the same size in points as the final image.
    ///
    /// Only for progressive JPEG files, with the option `.progressiveJPEG`.
    case preview(KFCrossPlatformImage)
    /// The image. This is the last event.
    case finished(RetrieveImageResult)
}
