public import Foundation

/// Changes brightness, contrast, saturation and exposure; see `Filter.ColorElement` for the formulas.
public struct ColorControlsProcessor: ImageProcessor {
    public let identifier: String
    /// The value added to each component, where 1 is white; 0 has no effect.
    public let brightness: CGFloat
    /// The factor of the distance from mid-grey; 1 has no effect.
    public let contrast: CGFloat
    /// The saturation: 0 gives greyscale, 1 has no effect.
    public let saturation: CGFloat
    /// The exposure in f-stops; 0 has no effect.
    public let inputEV: CGFloat

    /// Creates a processor with these adjustments.
    public init(brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.inputEV = inputEV
        identifier = ProcessorIdentifier.make(
            "ColorControlsProcessor", "\(brightness)_\(contrast)_\(saturation)_\(inputEV)")
    }

    public func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?
    {
        item.decoded(with: options)?.kf.adjusted(
            brightness: brightness, contrast: contrast, saturation: saturation, inputEV: inputEV)
    }

    static let step = StepDefinition(
        "color:B,C,S[,EV]", example: "color:0.05,1.1,1.3",
        summary: "Adds brightness B, multiplies contrast by C, saturation by S, and exposes by EV f-stops."
    ) {
        ColorControlsProcessor(
            brightness: try $0.number(in: -1...1), contrast: try $0.number(in: 0...10),
            saturation: try $0.number(in: 0...10), inputEV: try $0.numberIfAny(in: -10...10) ?? 0)
    }
}
