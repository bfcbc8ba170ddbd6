public import Foundation

extension KingfisherWrapper where Base == Image {
    /// Applies `filter` to the image (an animation's first frame), at the same scale.
    ///
    /// Returns the image itself if it is empty or the filter returns nil. Works on the caller's thread.
    public func apply(_ filter: Filter) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            guard let made = filter.transform(Image(pixels: pixels, scale: base.scale)) else { return nil }
            return try made.pixels?.upright(from: made.imageOrientation)
        }
    }

    /// The image under `color`, with the colour's alpha: transparent pixels show only the colour.
    ///
    /// Both are mixed in linear light, as Core Image does; see `Filter.tint`. The result is RGBA of the
    /// same depth and scale; an animation gives its first frame.
    public func tinted(with color: Color) -> Image {
        apply(Filter.tint(color))
    }

    /// The image with adjusted saturation, brightness, contrast and exposure (`inputEV`, in f-stops).
    ///
    /// Computed in linear light, as in Core Image; see `Filter.ColorElement` for the formulas and for numbers
    /// that are not finite. The result is RGBA of the same depth and scale; an animation gives its first
    /// frame.
    public func adjusted(
        brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat
    ) -> Image {
        apply(
            Filter.colorControl(
                Filter.ColorElement(
                    brightness: brightness, contrast: contrast, saturation: saturation, inputEV: inputEV)))
    }
}
