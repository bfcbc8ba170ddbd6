/// Makes one image of another; nil when that is impossible.
public typealias Transformer = @Sendable (Image) -> Image?

/// A transform of an image, to be applied by `Image.kf.apply(_:)` or in a `PixelFilterProcessor`.
///
/// The transform gets a still, upright image, of an animation its first frame, and runs on the thread that
/// asks for the result; several may run at once.
///
/// `tint` and `colorControl` are what Core Image's filters of the same effect are documented to be, in the
/// space that Core Image works in unless told otherwise: linear light with the primaries of sRGB, colours not
/// multiplied by alpha, values below 0 and above 1 kept until the end ("Core Image Programming Guide",
/// working color space; `CIContextOption.workingColorSpace`). The result is encoded as 8-bit sRGB.
public struct Filter: Sendable {
    let transform: Transformer

    /// A filter of a closure over images; where that gives nil, the image stays as it is.
    ///
    /// The result has the scale of the image that the filter is applied to.
    public init(transform: @escaping Transformer) {
        self.transform = transform
    }

    /// A filter of a closure over pixels: 8-bit RGBA, premultiplied or opaque as their `format` says.
    ///
    /// The closure may give pixels of any size and format. Where it gives nil or throws, the image stays as
    /// it is.
    public static func pixels(
        _ transform: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer?
    ) -> Filter {
        Filter { image in
            guard let pixels = try? image.pixels?.premultiplied(), let made = try? transform(pixels) else {
                return nil
            }
            return Image(pixels: made, scale: image.scale)
        }
    }

    /// A colour drawn over the image, with the colour's alpha: `CIConstantColorGenerator` and
    /// `CISourceOverCompositing`.
    ///
    /// The colour covers transparent pixels as well as others. Colour and image are mixed in linear light,
    /// so a half-transparent tint is lighter than `Image.kf.overlaying` or a drawing program makes it.
    public static let tint: @Sendable (Color) -> Filter = { color in
        .pixels { try $0.filtered(by: LinearFilter(tint: color)) }
    }

    /// Saturation, brightness and contrast, then exposure: `CIColorControls` and `CIExposureAdjust`; see
    /// `ColorElement`.
    public static let colorControl: @Sendable (ColorElement) -> Filter = { element in
        .pixels { try $0.filtered(by: LinearFilter(element)) }
    }
}
