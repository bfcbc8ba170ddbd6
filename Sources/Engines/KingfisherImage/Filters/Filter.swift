/// Transforms an image; nil on failure.
public typealias Transformer = @Sendable (Image) -> Image?

/// A transform of an image, for `Image.kf.apply(_:)` or a `PixelFilterProcessor`.
///
/// The transform gets a still, upright image (an animation's first frame). It runs on the thread that
/// requests the result; several may run concurrently.
///
/// `tint` and `colorControl` follow the documentation of Core Image's filters of the same effect, in Core
/// Image's default working space: linear light with the primaries of sRGB, straight alpha, values below 0 and
/// above 1 kept until the end ("Core Image Programming Guide", working color space;
/// `CIContextOption.workingColorSpace`). The result is encoded as sRGB of the
/// same depth.
public struct Filter: Sendable {
    let transform: Transformer

    /// Creates a filter from a closure over images; if it returns nil, the image is unchanged.
    ///
    /// The result has the scale of the image that the filter is applied to.
    public init(transform: @escaping Transformer) {
        self.transform = transform
    }

    /// Creates a filter from a closure over pixels: RGBA, premultiplied or opaque according to their
    /// `format`.
    ///
    /// Their samples have 8 bits, or with `keepingDepth` 16 if the image has 16. The closure may return
    /// pixels of any size and format. If it returns nil or throws, the image is unchanged.
    public static func pixels(
        keepingDepth: Bool = false,
        _ transform: @escaping @Sendable (PixelBuffer) throws -> PixelBuffer?
    ) -> Filter {
        Filter { image in
            guard let source = image.pixels,
                let pixels = try? source.premultiplied(keepingDepth ? source.format.depth : .eight),
                let made = try? transform(pixels)
            else { return nil }
            return Image(pixels: made, scale: image.scale)
        }
    }

    /// A colour drawn over the image, with the colour's alpha: `CIConstantColorGenerator` and
    /// `CISourceOverCompositing`.
    ///
    /// The colour also covers transparent pixels. Colour and image are mixed in linear light, so a
    /// half-transparent tint is lighter than with `Image.kf.overlaying` or in a drawing program.
    public static let tint: @Sendable (Color) -> Filter = { color in
        .pixels(keepingDepth: true) { try $0.filtered(by: LinearFilter(tint: color)) }
    }

    /// Saturation, brightness and contrast, then exposure: `CIColorControls` and `CIExposureAdjust`; see
    /// `ColorElement`.
    public static let colorControl: @Sendable (ColorElement) -> Filter = { element in
        .pixels(keepingDepth: true) { try $0.filtered(by: LinearFilter(element)) }
    }
}
