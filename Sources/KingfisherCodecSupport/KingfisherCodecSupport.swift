/// What codecs are written with: `ImageCodec`, `PixelBuffer`, `ImageLimits`, `ByteReader`, `EXIF`,
/// `ICCTransform`, `DeferredColorCodec`, `FrameCompositor` and `ComposedFrameSource`, without the network,
/// the caches and the views of `Kingfisher`.
@_exported public import KingfisherImage
