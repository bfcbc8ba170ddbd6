public import Foundation

/// A codec that leaves the conversion of colours to its caller, who makes the image small first, and that may
/// have a faster way to a small image than decoding and resampling.
///
/// `acceptsPartialImages` is for codecs that can show a part of a file; the others read whole files only.
public protocol DeferredColorCodec: ImageCodec {
    /// Decodes as `decode` does, without converting colours.
    func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels

    /// Decodes the first frame, upright and resampled to `target`, which is no larger than the file; by
    /// default from no fewer than twice as many pixels on either side.
    func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels
}

extension DeferredColorCodec {
    public func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try decode(data, minimumSize: minimumSize, acceptsPartialImages: false)
    }

    public func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        try decodePixels(
            of: data, minimumSize: minimumSize, acceptsPartialImages: acceptsPartialImages
        ).finished()
    }

    public func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try decodePixels(
            of: data, minimumSize: target.doubled, acceptsPartialImages: acceptsPartialImages
        ).resized(to: target)
    }
}

extension ImageCodec {
    /// Decodes the first frame, upright and resampled to `target`, from no more pixels than that takes; the
    /// colours are converted last.
    public func decode(
        _ data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> PixelBuffer {
        if let codec = self as? any DeferredColorCodec {
            return try codec.decodePixels(
                of: data, shrunkTo: target, acceptsPartialImages: acceptsPartialImages
            ).finished()
        }
        return try decode(
            data, minimumSize: target.doubled, acceptsPartialImages: acceptsPartialImages
        ).resized(to: target)
    }
}

extension PixelSize {
    /// What leaves a filter that shrinks to this size enough to work with.
    var doubled: PixelSize { PixelSize(width: width * 2, height: height * 2) }
}
