/// The types for writing codecs: `ImageCodec`, `PixelBuffer`, `ImageLimits`, `ByteReader`, `EXIF`,
/// `ICCTransform`, `ColorEncoding`, `DeferredColorCodec`, `FrameCompositor` and `ComposedFrameSource`,
/// without the network, caches and views of `Kingfisher`.
@_exported public import KingfisherImage
