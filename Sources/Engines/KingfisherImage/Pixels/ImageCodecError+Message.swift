public import Foundation

extension ImageCodecError: LocalizedError {
    /// A sentence fragment that describes the failure; names the limit if one is exceeded.
    public var errorDescription: String? { message(about: "the image") }

    func message(about subject: String) -> String {
        switch self {
        case .unknownFormat: "the format of \(subject) is not registered"
        case .truncated: "\(subject) is truncated"
        case .corrupt(let detail): "\(subject) is corrupt: \(detail)"
        case .tooLarge(let width, let height):
            "\(subject) has \(width) x \(height) pixels, "
                + (PixelSize(width: width, height: height).area > ImageLimits.maximumPixels
                    ? "more than the \(ImageLimits.maximumPixels) of ImageLimits.maximumPixels"
                    : "which is not a valid size")
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
        case .tooManyBytes(let smallest, let limit):
            "\(subject) cannot be encoded in \(limit) bytes; the smallest file has \(smallest)"
        case .unsupported(let feature): "\(feature) is not supported"
        case .emptyImage: "\(subject) has no pixels"
        case .decoderFailed(let failure): failure.message(about: subject)
        }
    }
}
