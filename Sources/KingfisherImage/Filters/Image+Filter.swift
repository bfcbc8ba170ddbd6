public import Foundation

extension KingfisherWrapper where Base == Image {
    /// What `filter` makes of the image, at the same scale; of an animation's first frame.
    ///
    /// The image itself when it is empty or the filter makes nothing of it. Works on the caller's thread.
    public func apply(_ filter: Filter) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let made = filter.transform(Image(pixels: pixels, scale: base.scale)) else { return nil }
            return try made.pixels?.upright(from: made.imageOrientation)
        }
    }

    /// The image under `color`, with the colour's alpha: transparent pixels show the colour alone.
    ///
    /// Both are mixed in linear light, as Core Image does; see `Filter.tint`. The result is 8-bit RGBA at the
    /// same scale; an animation gives its first frame.
    public func tinted(with color: Color) -> Image {
        apply(Filter.tint(color))
    }

    /// The image with other saturation, brightness, contrast and exposure (`inputEV`, in f-stops).
    ///
    /// In linear light, as Core Image does; `Filter.ColorElement` has the formulas and says what numbers that
    /// are none count as. The result is 8-bit RGBA at the same scale; an animation gives its first frame.
    public func adjusted(
        brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat
    ) -> Image {
        apply(
            Filter.colorControl(
                Filter.ColorElement(
                    brightness: brightness, contrast: contrast, saturation: saturation, inputEV: inputEV)))
    }
}
