public import Foundation

/// A codec that leaves colour conversion to its caller, which shrinks the image first, and that may have a
/// faster path to a small image than decoding and resampling.
///
/// `acceptsPartialImages` is for codecs that can decode truncated files; others ignore it.
public protocol DeferredColorCodec: ImageCodec {
    /// Decodes as `decode` does, without converting colours.
    func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels

    /// Decodes the first frame, upright and resampled to `target`, which is not larger than the file, unless
    /// that can be decoded at any size. By default, decodes at least twice as many pixels on each side before
    /// resampling.
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
    /// Decodes the first frame, upright and resampled to `target`, from no more pixels than needed; converts
    /// colours last.
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
    /// Twice the size, which gives a resampling filter enough input. A side that would overflow stays.
    public var doubled: PixelSize {
        func twice(_ side: Int) -> Int {
            let (result, overflow) = side.multipliedReportingOverflow(by: 2)
            return overflow ? side : result
        }
        return PixelSize(width: twice(width), height: twice(height))
    }
}
