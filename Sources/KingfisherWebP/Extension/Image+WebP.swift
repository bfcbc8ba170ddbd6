public import Foundation
public import Kingfisher

extension Image {
    /// The image as a WebP file; nil for an empty image, or one with a side above 16,383 pixels.
    ///
    /// That is the very file it was made from, where that is WebP and nothing has changed the image, or
    /// where it is an animation's file that a processor has handed to its result
    /// (`copyKingfisherState(to:)`): then the file shows the animation unprocessed. Otherwise the image is
    /// encoded without loss, an animation with all its frames, on the caller's thread.
    public var webPData: Data? {
        kf.webPFile ?? kf.webPRepresentation(isLossless: true)
    }

    /// Decodes a WebP file at `scale` pixels per point, without the format being registered; nil when it is
    /// none or broken. An animation keeps its frames, decoded on demand.
    public convenience init?(webPData: Data, scale: CGFloat = 1) {
        guard let codec = WebPCodec(for: webPData),
            let image = try? Image.decode(
                webPData, using: codec, options: ImageCreatingOptions(scale: scale))
        else { return nil }
        self.init(image)
    }
}

extension KingfisherWrapper where Base == Image {
    /// The image newly encoded as WebP, upright; nil for an empty image, or one with a side above 16,383
    /// pixels.
    ///
    /// An animation is encoded with all its frames. `quality` is 0...1 and without meaning for lossless
    /// files. Works on the caller's thread.
    public func webPRepresentation(quality: CGFloat = 1, isLossless: Bool = false) -> Data? {
        try? base.encoded(
            using: WebPCodec(), options: ImageEncodingOptions(quality: quality, isLossless: isLossless))
    }

    /// The WebP file that the image was made from and still shows.
    var webPFile: Data? {
        fileBytes.flatMap { WebPCodec(for: $0) == nil ? nil : $0 }
    }
}
