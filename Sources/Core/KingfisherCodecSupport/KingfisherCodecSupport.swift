/// The types for writing codecs: `ImageCodec`, `ImageDecoder`, `EncodedFile`, `PixelBuffer`, `ImageLimits`,
/// `ByteReader`, `EXIF`, `ICCTransform`, `ColorEncoding`, `DecodedPixels`, `FrameCompositor`,
/// `ComposedFrameSource` and `SequentialFrameSource`, without the network, caches and views of `Kingfisher`.
@_exported public import KingfisherImage
