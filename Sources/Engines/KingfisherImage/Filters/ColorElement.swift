public import Foundation

extension Filter {
    /// Adjustments of an image's colours, as "Core Image Filter Reference" defines them.
    ///
    /// Applied in linear light (see `Filter`), in this order: a mix of the colour with its luminance 0.2126 r
    /// + 0.7152 g + 0.0722 b by `saturation`, plus `brightness`, then (c - 0.5) `contrast` + 0.5, and the
    /// result times 2 to the power of `inputEV`. Transparency is unchanged. A number that is not finite
    /// counts as the neutral one.
    public struct ColorElement: Hashable, Sendable {
        /// The amount added to each channel, where 1 is white; 0 changes nothing.
        public let brightness: CGFloat
        /// The factor for the distance from the middle; 1 changes nothing.
        public let contrast: CGFloat
        /// 0 gives greys, 1 changes nothing, more than 1 makes colours stronger.
        public let saturation: CGFloat
        /// The exposure in f-stops; 0 changes nothing.
        public let inputEV: CGFloat

        /// Creates the adjustments.
        public init(brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat) {
            self.brightness = brightness
            self.contrast = contrast
            self.saturation = saturation
            self.inputEV = inputEV
        }
    }
}
