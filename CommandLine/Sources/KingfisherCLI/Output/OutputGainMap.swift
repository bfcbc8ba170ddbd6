import Foundation
import Kingfisher

/// What has become of the gain map of a source that has one.
struct OutputGainMap: Sendable {
    /// Nil if the output has it.
    var loss: GainMapLoss?
}

extension OutputGainMap {
    /// For a file that was copied, maybe without metadata; nil if the source has no gain map.
    init?(of image: LoadedImage, in file: Data) {
        func hasGainMap(_ file: Data) -> Bool {
            (try? ImageMetadataBlocks(of: file).hasGainMap) ?? false
        }
        guard let original = image.original, hasGainMap(original) else { return nil }
        // The file of steps is a PNG.
        loss = hasGainMap(file) ? nil : image.processor == nil ? .unreadable : .format
    }
}

extension LoadedImage {
    /// The gain map of the source for `image`, in a format; nil without one.
    func gainMap(for image: Image, in format: ImageFormat) throws(GainMapLoss) -> GainMap? {
        guard let original, !image.isAnimation, let codec = ImageCodecs.codec(for: format) else { return nil }
        return try GainMap(of: original, for: image, after: processor, in: codec)
    }
}

extension GainMapLoss {
    /// For a line on standard error.
    var message: String {
        let reason =
            switch self {
            case .unreadable: "it is malformed, missing, or of a kind that is not read"
            case .processing: "steps do more than crop, scale and turn"
            case .colors: "it is for other colours than sRGB, which the output has"
            case .format: "the output format has no place for it"
            case .length: "the output would be too long"
            }
        return "the gain map was dropped: \(reason)"
    }
}
