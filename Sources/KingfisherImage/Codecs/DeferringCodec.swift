package import Foundation

/// A codec that leaves to its caller what is cheaper on fewer pixels, the conversion of a file's colours, and
/// that may know a way of its own to make a picture small.
///
/// `acceptsPartialImages` is for those that can show a part of a file; the others read whole files only.
package protocol DeferringCodec: ImageCodec {
    /// Decodes as `decode` does, without the last steps.
    func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels

    /// Decodes the first frame, upright and resampled to `target`, which is no larger than the file; by
    /// default from no fewer than twice as many pixels on either side.
    func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels
}

extension DeferringCodec {
    package func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try decode(data, minimumSize: minimumSize, acceptsPartialImages: false)
    }

    package func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        try decodePixels(
            of: data, minimumSize: minimumSize, acceptsPartialImages: acceptsPartialImages
        ).finished()
    }

    package func decodePixels(
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
    package func decode(
        _ data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool = false
    ) throws(ImageCodecError) -> PixelBuffer {
        if let codec = self as? any DeferringCodec {
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
