public import Foundation
public import Kingfisher

extension Image {
    /// The image as a WebP file; nil for an empty image, or one with a side above 16,383 pixels.
    ///
    /// Returns the original file if it is WebP and the image is unchanged, or if it is an animation's file
    /// that a processor copied to its result (`copyKingfisherState(to:)`); that file has the unprocessed
    /// animation. Otherwise encodes the image losslessly on the caller's thread, an animation with all
    /// frames.
    public var webPData: Data? {
        kf.webPFile ?? kf.webPRepresentation(isLossless: true)
    }

    /// Decodes a WebP file at `scale` pixels per point, without registering the format; nil if it cannot be
    /// decoded. An animation keeps its frames, decoded on demand.
    public convenience init?(webPData: Data, scale: CGFloat = 1) {
        guard let codec = WebPCodec(for: webPData),
            let image = try? Image.decode(
                webPData, using: codec, options: ImageCreatingOptions(scale: scale))
        else { return nil }
        self.init(image)
    }
}

extension KingfisherWrapper where Base == Image {
    /// Encodes the upright image as WebP; nil for an empty image, or one with a side above 16,383 pixels.
    ///
    /// An animation is encoded with all frames. `quality` is 0...1 and ignored for lossless files. Works on
    /// the caller's thread.
    public func webPRepresentation(quality: CGFloat = 1, isLossless: Bool = false) -> Data? {
        try? base.encoded(
            using: WebPCodec(), options: ImageEncodingOptions(quality: quality, isLossless: isLossless))
    }

    var webPFile: Data? {
        fileBytes.flatMap { WebPCodec(for: $0) == nil ? nil : $0 }
    }
}
