import Foundation
public import Kingfisher

extension ProcessingStep {
    /// The library's processor that does this step.
    public var processor: any ImageProcessor {
        switch self {
        case .resize(let extent, let resizing):
            ResizingImageProcessor(referenceSize: extent.size, mode: resizing.contentMode)
        case .downsample(let extent):
            DownsamplingImageProcessor(size: extent.size)
        case .crop(let extent, let anchor):
            CroppingImageProcessor(size: extent.size, anchor: CGPoint(x: anchor.x, y: anchor.y))
        case .round(let radius, let corners, let background):
            RoundCornerImageProcessor(
                radius: radius.radius, roundingCorners: corners.rectCorner, backgroundColor: background)
        case .border(let width, let color, let radius, let corners):
            BorderImageProcessor(
                border: Border(
                    color: color, lineWidth: width, radius: radius.radius, roundingCorners: corners.rectCorner
                ))
        case .overlay(let color, let fraction):
            OverlayImageProcessor(overlay: color, fraction: fraction)
        case .tint(let color):
            TintImageProcessor(tint: color)
        case .color(let brightness, let contrast, let saturation, let exposure):
            ColorControlsProcessor(
                brightness: brightness, contrast: contrast, saturation: saturation, inputEV: exposure)
        case .blackWhite:
            BlackWhiteProcessor()
        case .blend(let mode, let alpha, let background):
            BlendImageProcessor(blendMode: mode, alpha: alpha, backgroundColor: background)
        case .blur(let radius):
            BlurImageProcessor(blurRadius: radius)
        }
    }
}

extension [ProcessingStep] {
    /// All steps, one after another; nil without steps.
    public var processor: (any ImageProcessor)? {
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

extension ProcessingStep.Length {
    fileprivate var radius: Radius {
        switch self {
        case .pixels(let pixels): .point(pixels)
        case .percentOfWidth(let percent): .widthFraction(percent / 100)
        case .percentOfHeight(let percent): .heightFraction(percent / 100)
        }
    }
}

extension Set<ProcessingStep.Corner> {
    fileprivate var rectCorner: RectCorner {
        reduce(into: []) { corners, corner in
            switch corner {
            case .topLeft: corners.insert(.topLeft)
            case .topRight: corners.insert(.topRight)
            case .bottomLeft: corners.insert(.bottomLeft)
            case .bottomRight: corners.insert(.bottomRight)
            }
        }
    }
}
