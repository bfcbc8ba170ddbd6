import Foundation
import KingfisherImage
public import KingfisherSteps

extension ProcessingStep {
    /// The processor for this step, for images at scale 1.
    ///
    /// A `watermark` step has no image here, and fails; see `[ProcessingStep].processor(watermarks:)`.
    public var processor: any ImageProcessor { processor(watermarks: [:]) }

    fileprivate func processor(watermarks: [String: WatermarkImageProcessor.Mark]) -> any ImageProcessor {
        guard case .watermark(let name, let anchor, let opacity) = self, let mark = watermarks[name] else {
            return processorWithoutMarks
        }
        return WatermarkImageProcessor(mark.image, name: mark.name, anchor: anchor.point, opacity: opacity)
    }

    private var processorWithoutMarks: any ImageProcessor {
        switch self {
        case .resize(let extent, let resizing):
            ResizingImageProcessor(referenceSize: extent.size, mode: resizing.contentMode)
        case .downsample(let extent):
            DownsamplingImageProcessor(size: extent.size)
        case .crop(let extent, let anchor):
            CroppingImageProcessor(size: extent.size, anchor: anchor.point)
        case .round(let radius, let corners, let background):
            RoundCornerImageProcessor(
                radius: radius.radius, roundingCorners: corners.rectCorner, backgroundColor: background?.color
            )
        case .border(let width, let color, let radius, let corners):
            BorderImageProcessor(
                border: Border(
                    color: color.color, lineWidth: width, radius: radius.radius,
                    roundingCorners: corners.rectCorner
                ))
        case .overlay(let color, let fraction):
            OverlayImageProcessor(overlay: color.color, fraction: fraction)
        case .tint(let color):
            TintImageProcessor(tint: color.color)
        case .color(let brightness, let contrast, let saturation, let exposure):
            ColorControlsProcessor(
                brightness: brightness, contrast: contrast, saturation: saturation, inputEV: exposure)
        case .blackWhite:
            BlackWhiteProcessor()
        case .blend(let mode, let alpha, let background):
            BlendImageProcessor(blendMode: mode.blendMode, alpha: alpha, backgroundColor: background?.color)
        case .blur(let radius):
            BlurImageProcessor(blurRadius: radius)
        case .sharpen(let radius, let amount):
            SharpenImageProcessor(radius: radius, amount: amount)
        case .rotate(let quarterTurns):
            RotationImageProcessor(quarterTurns: quarterTurns)
        case .flip(let axis):
            FlippingImageProcessor(axis == .horizontal ? .horizontal : .vertical)
        case .pad(let extent, let anchor, let background):
            PaddingImageProcessor(
                size: extent.size, anchor: anchor.point, color: background?.color ?? .clear)
        case .trim(let tolerance):
            TrimmingImageProcessor(tolerance: tolerance)
        case .focus(let extent, let focus):
            FocalCroppingImageProcessor(size: extent.size, focus: focus.point)
        case .watermark(let name, _, _):
            MissingWatermark(name: name)
        }
    }
}

extension [ProcessingStep] {
    /// A processor that runs all steps in sequence; nil without steps.
    public var processor: (any ImageProcessor)? { processor(watermarks: [:]) }

    /// A processor that runs all steps in sequence, in which `watermark` steps draw the image of their name.
    ///
    /// A step whose name is not in `watermarks` fails with `processingFailed`. Nil without steps.
    public func processor(
        watermarks: [String: WatermarkImageProcessor.Mark]
    ) -> (any ImageProcessor)? {
        guard let first else { return nil }
        return dropFirst().reduce(first.processor(watermarks: watermarks)) {
            $0 |> $1.processor(watermarks: watermarks)
        }
    }

    /// The names of the images that `watermark` steps draw.
    public var watermarkNames: Set<String> {
        Set(compactMap { if case .watermark(let name, _, _) = $0 { name } else { nil } })
    }
}

/// Fails, because the program has no image for the name.
private struct MissingWatermark: ImageProcessor {
    let name: String

    var identifier: String { ProcessorIdentifier.make("MissingWatermark", name) }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        nil
    }
}

extension ProcessingStep.Extent {
    fileprivate var size: CGSize { CGSize(width: width, height: height) }
}

extension ProcessingStep.Anchor {
    fileprivate var point: CGPoint { CGPoint(x: x, y: y) }
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

extension ProcessingStep.Color {
    fileprivate var color: Color {
        Color(
            red: Double(red) / 255, green: Double(green) / 255, blue: Double(blue) / 255,
            alpha: Double(alpha) / 255)
    }
}

extension ProcessingStep.BlendMode {
    fileprivate var blendMode: BlendMode {
        switch self {
        case .normal: .normal
        case .multiply: .multiply
        case .screen: .screen
        case .overlay: .overlay
        case .darken: .darken
        case .lighten: .lighten
        case .colorDodge: .colorDodge
        case .colorBurn: .colorBurn
        case .softLight: .softLight
        case .hardLight: .hardLight
        case .difference: .difference
        case .exclusion: .exclusion
        case .hue: .hue
        case .saturation: .saturation
        case .color: .color
        case .luminosity: .luminosity
        case .clear: .clear
        case .copy: .copy
        case .sourceIn: .sourceIn
        case .sourceOut: .sourceOut
        case .sourceAtop: .sourceAtop
        case .destinationOver: .destinationOver
        case .destinationIn: .destinationIn
        case .destinationOut: .destinationOut
        case .destinationAtop: .destinationAtop
        case .xor: .xor
        case .plusDarker: .plusDarker
        case .plusLighter: .plusLighter
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
