public import Foundation

extension ImageCodecError: LocalizedError {
    /// What is wrong, in words that go into a sentence; the limit by name where one is exceeded.
    public var errorDescription: String? { message(about: "the image") }

    /// What is wrong with `subject`: an image, or a file of some format.
    func message(about subject: String) -> String {
        switch self {
        case .unknownFormat: "\(subject) is of no registered format"
        case .truncated: "\(subject) ends too early"
        case .corrupt(let detail): "\(subject) is damaged: \(detail)"
        case .tooLarge(let width, let height):
            "\(subject) has \(width) x \(height) pixels, "
                + (PixelSize(width: width, height: height).area > ImageLimits.maximumPixels
                    ? "more than the \(ImageLimits.maximumPixels) of ImageLimits.maximumPixels"
                    : "which it cannot have")
        case .tooManyFrames:
            "\(subject) has more frames than the \(ImageLimits.maximumFrames) of ImageLimits.maximumFrames"
        case .tooManyAnimationPixels:
            "\(subject) has more pixels in all its frames than the \(ImageLimits.maximumAnimationPixels) of"
                + " ImageLimits.maximumAnimationPixels"
        case .outOfMemory: "there is not enough memory for \(subject)"
        case .tooMuchMemory:
            "\(subject) takes more memory than the \(ImageLimits.maximumFrameBytes) bytes of"
                + " ImageLimits.maximumFrameBytes"
        case .tooMuchMetadata:
            "\(subject) has more metadata than the \(ImageLimits.maximumMetadataBytes) bytes of"
                + " ImageLimits.maximumMetadataBytes"
        case .unsupported(let feature): "\(feature) is not supported"
        case .emptyImage: "\(subject) has no pixels"
        }
    }
}
