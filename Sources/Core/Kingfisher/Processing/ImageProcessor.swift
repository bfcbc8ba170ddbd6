public import Foundation

/// The input of a processor.
public enum ImageProcessItem: Sendable {
    /// An image that is already decoded.
    case image(KFCrossPlatformImage)
    /// A file's bytes.
    case data(Data)

    var data: Data? { if case .data(let data) = self { data } else { nil } }
}

/// Creates an image from data or another image.
///
/// Runs on the processing queue, off the caller's thread. Frames of an animation (`.processesAnimatedFrames`)
/// are processed on the threads that decode them, possibly concurrently. Processors with equal identifiers
/// are considered equal: the identifier is part of cache keys and must contain every parameter.
public protocol ImageProcessor: Sendable {
    /// Identifies the processor and its parameters, in reverse-domain style.
    var identifier: String { get }

    /// Creates the image. Returning nil fails the request with `processingFailed`.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}
