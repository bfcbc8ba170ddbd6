public import Foundation

extension Image {
    /// The picture (an animation's first frame) as a PNG file, upright; nil for an empty picture.
    public func pngData() -> Data? {
        try? encoded(as: .PNG, quality: 1)
    }

    /// The picture (an animation's first frame) as a JPEG file, upright and over white; nil for an empty one.
    ///
    /// `compressionQuality` is 0...1; from 0.9 on chroma keeps its full resolution.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        try? encoded(as: .JPEG, quality: compressionQuality)
    }

    /// Encodes the pixels in any registered format, and says why when it cannot.
    package func encoded(as format: ImageFormat, quality: Double) throws(ImageCodecError) -> Data {
        guard let pixels else { throw .emptyImage }
        guard let codec = ImageCodecs.codec(for: format) else { throw .unsupported("encoding \(format)") }
        return try codec.encode(pixels.upright(from: imageOrientation), quality: quality)
    }
}

extension KingfisherWrapper where Base == Image {
    /// The picture as a PNG file; nil for an empty picture.
    public func pngRepresentation() -> Data? {
        base.pngData()
    }

    /// The picture as a JPEG file of `compressionQuality` 0...1; nil for an empty picture.
    public func jpegRepresentation(compressionQuality: CGFloat) -> Data? {
        base.jpegData(compressionQuality: compressionQuality)
    }

    /// The bytes of the GIF that the picture was made from, as they came; nil for any other picture.
    public func gifRepresentation() -> Data? {
        animatedData
    }

    /// The picture as a file of `format`; PNG where the format is unknown, nil where it cannot be written.
    public func data(format: ImageFormat, compressionQuality: CGFloat = 1.0) -> Data? {
        switch format {
        case .GIF: gifRepresentation()
        case .unknown: pngRepresentation()
        default: try? base.encoded(as: format, quality: compressionQuality)
        }
    }
}
