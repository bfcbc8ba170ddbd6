public import Foundation

/// What a processor starts from.
public enum ImageProcessItem: Sendable {
    /// An image that is already decoded.
    case image(KFCrossPlatformImage)
    /// A file's bytes.
    case data(Data)

    /// The file's bytes; nil for an image.
    var data: Data? { if case .data(let data) = self { data } else { nil } }
}

/// Turns bytes or an image into another image.
///
/// Runs off the caller's thread, on the processing queue; for the frames of an animation
/// (`.processesAnimatedFrames`) on the threads that decode them, several at once. Two processors are the same
/// when their identifiers are: the identifier is part of cache keys and must name every parameter.
public protocol ImageProcessor: Sendable {
    /// Names the processor and its parameters, in reverse-domain style.
    var identifier: String { get }

    /// Makes the image; nil when that is impossible, which ends the request with `processingFailed`.
    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
}
