public import Foundation

/// Changes brightness, contrast, saturation and exposure; see `Filter.ColorElement` for the formulas.
public struct ColorControlsProcessor: ImageProcessor {
    public let identifier: String
    /// What is added, of 1 for white; 0 changes nothing.
    public let brightness: CGFloat
    /// The factor of the distance from the middle; 1 changes nothing.
    public let contrast: CGFloat
    /// 0 leaves greys, 1 changes nothing.
    public let saturation: CGFloat
    /// The exposure in f-stops; 0 changes nothing.
    public let inputEV: CGFloat

    /// Adjusts by these numbers.
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
}
