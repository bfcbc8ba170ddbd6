import Foundation
import Kingfisher

extension ProcessingStep {
    /// The library's processor that does this step.
    var processor: any ImageProcessor {
        switch self {
        case .resize(let extent, let resizing):
            ResizingImageProcessor(referenceSize: extent.size, mode: resizing.contentMode)
        case .downsample(let extent):
            DownsamplingImageProcessor(size: extent.size)
        case .crop(let extent, let anchor):
            CroppingImageProcessor(size: extent.size, anchor: CGPoint(x: anchor.x, y: anchor.y))
        case .round(let radius):
            RoundCornerImageProcessor(cornerRadius: radius)
        case .blur(let radius):
            BlurImageProcessor(blurRadius: radius)
        }
    }
}

extension [ProcessingStep] {
    /// All steps, one after another; nil without steps.
    var processor: (any ImageProcessor)? {
        guard let first else { return nil }
        return dropFirst().reduce(first.processor) { $0 |> $1.processor }
    }
}

extension ProcessingStep.Extent {
    fileprivate var size: CGSize { CGSize(width: width, height: height) }
}

extension ProcessingStep.Resizing {
    fileprivate var contentMode: ContentMode {
        switch self {
        case .stretch: .none
        case .fit: .aspectFit
        case .fill: .aspectFill
        }
    }
}
