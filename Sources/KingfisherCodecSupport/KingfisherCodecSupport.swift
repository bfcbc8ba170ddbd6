/// The types for writing codecs: `ImageCodec`, `PixelBuffer`, `ImageLimits`, `ByteReader`, `EXIF`,
/// `ICCTransform`, `ColorEncoding`, `DeferredColorCodec`, `FrameCompositor`, `ComposedFrameSource` and
/// `SequentialFrameSource`, without the network, caches and views of `Kingfisher`.
@_exported public import KingfisherImage
